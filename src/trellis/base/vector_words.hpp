// Vectors of 64-bit words and of numbers, for code that is written for single values as well (philox.hpp, normals.hpp).
// For kernel sources only.
#pragma once

#include <cmath>
#include <cstdint>

#include "trellis/base/normals.hpp"
#include "trellis/base/philox.hpp"
#include "trellis/base/simd.hpp"

namespace trellis {

template <>
struct ProductOf<Vector<std::uint64_t>> {
    using Word = Vector<std::uint64_t>;
    [[gnu::always_inline]] static Word lower_halves(const Word& a, std::uint32_t b) {
        const Word factor = all_lanes(std::uint64_t{b});
#if defined(__AVX512F__)
        return std::bit_cast<Word>(_mm512_mul_epu32(std::bit_cast<__m512i>(a), std::bit_cast<__m512i>(factor)));
#elif defined(__AVX2__)
        return std::bit_cast<Word>(_mm256_mul_epu32(std::bit_cast<__m256i>(a), std::bit_cast<__m256i>(factor)));
#elif defined(__SSE2__) && !defined(__AVX__)
        return std::bit_cast<Word>(_mm_mul_epu32(std::bit_cast<__m128i>(a), std::bit_cast<__m128i>(factor)));
#else
        return (a & std::uint64_t{0xFFFFFFFF}) * factor;
#endif
    }
};

template <>
struct WordsOf<Vector<double>> {
    using Word = Vector<std::uint64_t>;
    [[gnu::always_inline]] static Vector<double> root(const Vector<double>& x) {
#if defined(__AVX512F__)
        return _mm512_sqrt_pd(x);
#elif defined(__AVX__)
        return _mm256_sqrt_pd(x);
#elif defined(__SSE2__)
        return _mm_sqrt_pd(x);
#else
        Vector<double> result{};
        for (std::size_t k = 0; k < lanes<double>; ++k) result[k] = std::sqrt(x[k]);
        return result;
#endif
    }
};

}  // namespace trellis
