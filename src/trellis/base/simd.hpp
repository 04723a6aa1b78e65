// SIMD batches and the functions of base/math.hpp for them. For kernel sources only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <experimental/simd>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "trellis/base/isa.hpp"
#include "trellis/base/math.hpp"

namespace trellis {
TRELLIS_ISA_BEGIN

template <class T>
using Batch = std::experimental::native_simd<T>;

// How many values a batch holds.
template <class T>
inline constexpr std::size_t lanes = Batch<T>::size();

template <class T>
[[gnu::always_inline]] inline Batch<T> load(const T* aligned) {
    return Batch<T>(aligned, std::experimental::vector_aligned);
}

template <class T>
[[gnu::always_inline]] inline void store(const Batch<T>& batch, T* aligned) {
    batch.copy_to(aligned, std::experimental::vector_aligned);
}

// table[index[0]], table[index[1]], ... with lanes<T> indices.
[[gnu::always_inline]] inline Batch<float> gather(const float* table, const std::int32_t* index) {
#if defined(__AVX512F__)
    return Batch<float>(_mm512_i32gather_ps(_mm512_load_si512(index), table, sizeof(float)));
#else
    return Batch<float>([&](auto lane) { return table[index[lane]]; });
#endif
}

[[gnu::always_inline]] inline Batch<double> gather(const double* table, const std::int32_t* index) {
    return Batch<double>([&](auto lane) { return table[index[lane]]; });
}

// out[k] = in[k] - shift, rounded to T, for k in [0, count). May read and write up to a batch of doubles beyond.
template <class T>
[[gnu::always_inline]] inline void copy_shifted(const double* in, double shift, std::size_t count, T* out) {
    using Doubles = Batch<double>;
    using Rounded = std::experimental::rebind_simd_t<T, Doubles>;
    for (std::size_t k = 0; k < count; k += Doubles::size()) {
        const Doubles values = Doubles(in + k, std::experimental::element_aligned) - shift;
        std::experimental::static_simd_cast<Rounded>(values).copy_to(out + k, std::experimental::element_aligned);
    }
}

// One Newton step for y near 1 / sqrt(x): doubles the number of right digits; leaves y = 0 as it is.
template <class V>
[[gnu::always_inline]] inline V refine_rsqrt(const V& x, const V& y) {
    return y + (V(0.5f) * y) * (V(1.0f) - (x * y) * y);
}

// To about the last digit, and 0 where x is 0.
[[gnu::always_inline]] inline Batch<float> batch_rsqrt(const Batch<float>& x) {
#if defined(__AVX512F__)
    const auto raw = static_cast<__m512>(x);
    const auto nonzero = _mm512_cmp_ps_mask(raw, _mm512_setzero_ps(), _CMP_NEQ_UQ);
    return refine_rsqrt(x, Batch<float>(_mm512_maskz_rsqrt14_ps(nonzero, raw)));
#elif defined(__AVX2__)
    const auto raw = static_cast<__m256>(x);
    const auto nonzero = _mm256_cmp_ps(raw, _mm256_setzero_ps(), _CMP_NEQ_UQ);
    return refine_rsqrt(x, Batch<float>(_mm256_and_ps(nonzero, _mm256_rsqrt_ps(raw))));
#else
    Batch<float> result = 1.0f / std::experimental::sqrt(x);
    std::experimental::where(x == 0.0f, result) = 0.0f;
    return result;
#endif
}

[[gnu::always_inline]] inline Batch<double> batch_rsqrt(const Batch<double>& x) {
#if defined(__AVX512F__)
    const auto raw = static_cast<__m512d>(x);
    const auto nonzero = _mm512_cmp_pd_mask(raw, _mm512_setzero_pd(), _CMP_NEQ_UQ);
    const Batch<double> guess(_mm512_maskz_rsqrt14_pd(nonzero, raw));
    return refine_rsqrt(x, refine_rsqrt(x, guess));
#else
    Batch<double> result = 1.0 / std::experimental::sqrt(x);
    std::experimental::where(x == 0.0, result) = 0.0;
    return result;
#endif
}

TRELLIS_ISA_END

template <class T, class Abi>
struct MathOf<std::experimental::simd<T, Abi>> {
    using V = std::experimental::simd<T, Abi>;
    [[gnu::always_inline]] static V rsqrt(const V& x) { return batch_rsqrt(x); }
    [[gnu::always_inline]] static V exp(const V& x) { return std::experimental::exp(x); }
    [[gnu::always_inline]] static V select(const typename V::mask_type& condition, const V& a, const V& b) {
        V result = b;
        std::experimental::where(condition, result) = a;
        return result;
    }
};

}  // namespace trellis
