// SIMD batches and the functions of base/math.hpp for them. For kernel sources only.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <experimental/simd>
#include <limits>
#include <type_traits>
#include <utility>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "trellis/base/isa.hpp"
#include "trellis/base/math.hpp"

namespace trellis {
TRELLIS_ISA_BEGIN

// Calls body with the constants 0, 1, ..., Count - 1.
template <int Count, class Body>
[[gnu::always_inline]] inline void unroll(Body&& body) {
    [&]<int... K>(std::integer_sequence<int, K...>) __attribute__((always_inline)) {
        (body(std::integral_constant<int, K>{}), ...);
    }(std::make_integer_sequence<int, Count>{});
}

template <class T>
using Batch = std::experimental::native_simd<T>;

// The number of values in a batch.
template <class T>
inline constexpr std::size_t lanes = Batch<T>::size();

// A batch as the compiler's own vector type: its arithmetic calls no functions, so long kernels compile sooner.
template <class T>
struct VectorOf {
    using type [[gnu::vector_size(sizeof(Batch<T>))]] = T;
};
template <class T>
using Vector = typename VectorOf<T>::type;

template <class T>
[[gnu::always_inline]] inline Batch<T> load(const T* aligned) {
    return Batch<T>(aligned, std::experimental::vector_aligned);
}

template <class T>
[[gnu::always_inline]] inline void store(const Batch<T>& batch, T* aligned) {
    batch.copy_to(aligned, std::experimental::vector_aligned);
}

// load and store for vectors, and a vector with all lanes alike.
template <class T>
[[gnu::always_inline]] inline Vector<T> load_vector(const T* aligned) {
    return std::bit_cast<Vector<T>>(load(aligned));
}
template <class T>
[[gnu::always_inline]] inline void store_vector(const Vector<T>& vector, T* aligned) {
    store(std::bit_cast<Batch<T>>(vector), aligned);
}
template <class T>
[[gnu::always_inline]] inline Vector<T> all_lanes(T value) {
    return value - Vector<T>{};
}

template <class T>
[[gnu::always_inline]] inline T sum_of_lanes(const Vector<T>& vector) {
    return std::experimental::reduce(std::bit_cast<Batch<T>>(vector));
}

// Asks for count values to be brought into the cache.
template <class T>
[[gnu::always_inline]] inline void prefetch(const T* values, std::size_t count) {
    constexpr std::size_t line = sizeof(T) < 64 ? 64 / sizeof(T) : 1;
    for (std::size_t k = 0; k < count; k += line) __builtin_prefetch(values + k);
}

// The mask as bits, one for each lane, lane 0 lowest.
template <class Mask>
[[gnu::always_inline]] inline unsigned long bits_of(const Mask& mask) {
    return mask.__to_bitset().to_ulong();  // libstdc++'s name for what later standards call to_bitset
}

// Writes the values whose bit is set one behind the other and returns their number. out must have room for all values.
template <std::size_t Count>
[[gnu::always_inline]] inline std::size_t compress(unsigned long bits, const std::uint32_t (&values)[Count],
                                                   std::uint32_t* out) {
#if defined(__AVX512VL__)
    if constexpr (Count == 16) {
        const __m512i all = _mm512_loadu_si512(values);
        _mm512_storeu_si512(out, _mm512_maskz_compress_epi32(static_cast<__mmask16>(bits), all));
        return static_cast<std::size_t>(__builtin_popcountl(bits));
    }
    if constexpr (Count == 8) {
        const __m256i all = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(values));
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(out),
                            _mm256_maskz_compress_epi32(static_cast<__mmask8>(bits), all));
        return static_cast<std::size_t>(__builtin_popcountl(bits));
    }
#endif
    std::size_t count = 0;
    for (std::size_t k = 0; k < Count; ++k) {  // without branches: which values count cannot be predicted
        out[count] = values[k];
        count += bits >> k & 1;
    }
    return count;
}

// Rows become columns: afterwards lane j of rows[i] is what lane i of rows[j] was. Swaps blocks of 1, 2, 4, ... lanes.
template <class T>
[[gnu::always_inline]] inline void transpose(Vector<T> (&rows)[lanes<T>]) {
    using Integer = std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>;
    using Index [[gnu::vector_size(sizeof(Batch<T>))]] = Integer;
    constexpr auto width = static_cast<Integer>(lanes<T>);
    unroll<static_cast<int>(std::bit_width(lanes<T>) - 1)>([&](auto stage) __attribute__((always_inline)) {
        constexpr Integer block = Integer{1} << stage;
        Index first, second;
        for (Integer lane = 0; lane < width; ++lane) {
            const bool upper = (lane & block) != 0;
            first[lane] = upper ? width + lane - block : lane;
            second[lane] = upper ? width + lane : lane + block;
        }
        unroll<static_cast<int>(lanes<T> / 2)>([&](auto pair) __attribute__((always_inline)) {
            constexpr std::size_t low = static_cast<std::size_t>(pair / block * 2 * block + pair % block);
            const Vector<T> a = rows[low], b = rows[low + block];
            rows[low] = __builtin_shuffle(a, b, first);
            rows[low + block] = __builtin_shuffle(a, b, second);
        });
    });
}

// out[k] = in[k] + offset for k in [0, count). Reads and writes whole batches.
template <class T>
[[gnu::always_inline]] inline void copy_moved(const T* in, T offset, std::size_t count, T* out) {
    for (std::size_t k = 0; k < count; k += lanes<T>)
        (Batch<T>(in + k, std::experimental::element_aligned) + offset)
            .copy_to(out + k, std::experimental::element_aligned);
}

// out[k] = in[k] - shift, rounded to T, for k in [0, count). May read and write up to a batch of doubles beyond count.
template <class T>
[[gnu::always_inline]] inline void copy_shifted(const double* in, double shift, std::size_t count, T* out) {
    using Doubles = Batch<double>;
    using Rounded = std::experimental::rebind_simd_t<T, Doubles>;
    for (std::size_t k = 0; k < count; k += Doubles::size()) {
        const Doubles values = Doubles(in + k, std::experimental::element_aligned) - shift;
        std::experimental::static_simd_cast<Rounded>(values).copy_to(out + k, std::experimental::element_aligned);
    }
}

// One Newton step for y near 1 / sqrt(x), half = y / 2: doubles the number of right digits; leaves y = 0 as it is.
template <class V>
[[gnu::always_inline]] inline V refine_rsqrt(const V& x, const V& y, const V& half) {
    return y + half * (V(1.0f) - (x * y) * y);
}
template <class V>
[[gnu::always_inline]] inline V refine_rsqrt(const V& x, const V& y) {
    return refine_rsqrt(x, y, V(V(0.5f) * y));
}

// 1 / sqrt(x) to about the last digit, and 0 where x is 0. With AVX-512 zeros are found while the guess is refined, not
// before: an interaction is one chain of dependent instructions, and each that it need not wait for counts. For the
// same reason the guess, never subnormal, is halved by its exponent: an interaction keeps the multiplying units busy.
[[gnu::always_inline]] inline Batch<float> batch_rsqrt(const Batch<float>& x) {
#if defined(__AVX512F__)
    const auto raw = static_cast<__m512>(x);
    const auto nonzero = _mm512_cmp_ps_mask(raw, _mm512_setzero_ps(), _CMP_NEQ_UQ);
    const __m512 guess = _mm512_rsqrt14_ps(raw);
    const __m512i half = _mm512_sub_epi32(_mm512_castps_si512(guess), _mm512_set1_epi32(1 << 23));
    const auto refined = refine_rsqrt(x, Batch<float>(guess), Batch<float>(_mm512_castsi512_ps(half)));
    return Batch<float>(_mm512_maskz_mov_ps(nonzero, static_cast<__m512>(refined)));
#elif defined(__AVX2__)
    const auto raw = static_cast<__m256>(x);
    // The guess for a subnormal number is infinite: it counts as 0.
    const auto normal = _mm256_cmp_ps(raw, _mm256_set1_ps(std::numeric_limits<float>::min()), _CMP_NLT_UQ);
    return refine_rsqrt(x, Batch<float>(_mm256_and_ps(normal, _mm256_rsqrt_ps(raw))));
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
    const Batch<double> guess(_mm512_rsqrt14_pd(raw));
    const Batch<double> refined = refine_rsqrt(x, refine_rsqrt(x, guess));
    return Batch<double>(_mm512_maskz_mov_pd(nonzero, static_cast<__m512d>(refined)));
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
    [[gnu::always_inline]] static V constant(double value) { return V(static_cast<T>(value)); }
};

template <class T>
struct MathOfVector {
    using V = Vector<T>;
    [[gnu::always_inline]] static V rsqrt(const V& x) {
        return std::bit_cast<V>(batch_rsqrt(std::bit_cast<Batch<T>>(x)));
    }
    [[gnu::always_inline]] static V constant(double value) { return all_lanes(static_cast<T>(value)); }
};
template <>
struct MathOf<Vector<float>> : MathOfVector<float> {};
template <>
struct MathOf<Vector<double>> : MathOfVector<double> {};

}  // namespace trellis
