// SIMD vectors: several values side by side in one register. For kernel sources only.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "trellis/base/isa.hpp"
#include "trellis/base/unroll.hpp"

namespace trellis {
TRELLIS_ISA_BEGIN

// A vector: as many values as fit into a register of the instruction set. It is the compiler's own type, whose
// arithmetic calls no functions: kernels compile in half the time that std::experimental::simd takes.
#if defined(__AVX512F__)
inline constexpr std::size_t vector_bytes = 64;
#elif defined(__AVX__)
inline constexpr std::size_t vector_bytes = 32;
#else
inline constexpr std::size_t vector_bytes = 16;
#endif
template <class T>
struct VectorOf {
    using type [[gnu::vector_size(vector_bytes)]] = T;
};
template <class T>
using Vector = typename VectorOf<T>::type;

// The number of values in a vector.
template <class T>
inline constexpr std::size_t lanes = vector_bytes / sizeof(T);

template <class T>
[[gnu::always_inline]] inline Vector<T> load_unaligned(const T* values) {
    Vector<T> vector;
    __builtin_memcpy(&vector, values, sizeof(vector));
    return vector;
}
template <class T>
[[gnu::always_inline]] inline void store_unaligned(const Vector<T>& vector, T* values) {
    __builtin_memcpy(values, &vector, sizeof(vector));
}

// Load and store at addresses that are multiples of vector_bytes.
template <class T>
[[gnu::always_inline]] inline Vector<T> load(const T* aligned) {
    return load_unaligned(static_cast<const T*>(__builtin_assume_aligned(aligned, vector_bytes)));
}
template <class T>
[[gnu::always_inline]] inline void store(const Vector<T>& vector, T* aligned) {
    store_unaligned<T>(vector, static_cast<T*>(__builtin_assume_aligned(aligned, vector_bytes)));
}

// A vector whose lanes all have this value.
template <class T>
[[gnu::always_inline]] inline Vector<T> all_lanes(T value) {
    return value - Vector<T>{};
}

// 0, 1, 2, ...
template <class T>
[[gnu::always_inline]] inline Vector<T> lane_numbers() {
    Vector<T> numbers{};
    for (std::size_t k = 0; k < lanes<T>; ++k) numbers[k] = static_cast<T>(k);
    return numbers;
}

// The sum of the lanes: of the two halves lane by lane, until 16 bytes are left. The order, also that of the last four,
// decides the last bits of every force.
template <class T, class V = Vector<T>>
[[gnu::always_inline]] inline T sum_of_lanes(const V& vector) {
    constexpr std::size_t count = sizeof(V) / sizeof(T);
    if constexpr (count == 2) {
        return vector[0] + vector[1];
    } else if constexpr (sizeof(V) == 16) {
        return (vector[0] + vector[3]) + (vector[2] + vector[1]);
    } else {
        struct Halves {
            [[gnu::vector_size(sizeof(V) / 2)]] T low, high;
        };
        const auto halves = std::bit_cast<Halves>(vector);
        return sum_of_lanes<T>(halves.low + halves.high);
    }
}

// Prefetches count values into the cache.
template <class T>
[[gnu::always_inline]] inline void prefetch(const T* values, std::size_t count) {
    constexpr std::size_t line = sizeof(T) < 64 ? 64 / sizeof(T) : 1;
    for (std::size_t k = 0; k < count; k += line) __builtin_prefetch(values + k);
}

// Writes the values whose bit is set one after the other and returns their number. out must have room for all values.
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
    for (std::size_t k = 0; k < Count; ++k) {  // without branches: the bits cannot be predicted
        out[count] = values[k];
        count += bits >> k & 1;
    }
    return count;
}

// compress_lanes does the same with the lanes of a vector; out must have room for all of them. expand_lanes is its
// inverse: lanes whose bit is not set become 0.
template <class T>
[[gnu::always_inline]] inline void compress_lanes(std::uint32_t bits, const Vector<T>& vector, T* out) {
    static_assert(sizeof(T) == 4);
#if defined(__AVX512F__)
    const auto mask = static_cast<__mmask16>(bits);
    store_unaligned<T>(std::bit_cast<Vector<T>>(_mm512_maskz_compress_epi32(mask, std::bit_cast<__m512i>(vector))),
                       out);
#else
    std::size_t count = 0;
    for (std::size_t k = 0; k < lanes<T>; ++k) {
        out[count] = vector[k];
        count += bits >> k & 1;
    }
#endif
}
template <class T>
[[gnu::always_inline]] inline Vector<T> expand_lanes(std::uint32_t bits, const T* values) {
    static_assert(sizeof(T) == 4);
#if defined(__AVX512F__)
    const auto mask = static_cast<__mmask16>(bits);
    return std::bit_cast<Vector<T>>(_mm512_maskz_expand_epi32(mask, std::bit_cast<__m512i>(load_unaligned(values))));
#else
    Vector<T> vector{};
    for (std::size_t k = 0; k < lanes<T>; ++k)
        if (bits >> k & 1) vector[k] = *values++;
    return vector;
#endif
}

// Transposes rows: afterwards lane j of rows[i] is what lane i of rows[j] was. Swaps blocks of 1, 2, 4, ... lanes.
template <class T>
[[gnu::always_inline]] inline void transpose(Vector<T> (&rows)[lanes<T>]) {
    using Integer = std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>;
    using Index [[gnu::vector_size(vector_bytes)]] = Integer;
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

// Writes a vector of doubles, rounded to T.
template <class T>
[[gnu::always_inline]] inline void store_rounded(const Vector<double>& values, T* out) {
    using Rounded [[gnu::vector_size(lanes<double> * sizeof(T))]] = T;
    const auto rounded = __builtin_convertvector(values, Rounded);
    __builtin_memcpy(out, &rounded, sizeof(rounded));
}

// out[k] = in[k] - shift, rounded to T, for k in [0, count). May read and write up to a vector of doubles beyond count.
template <class T>
[[gnu::always_inline]] inline void copy_shifted(const double* in, double shift, std::size_t count, T* out) {
    for (std::size_t k = 0; k < count; k += lanes<double>) store_rounded(load_unaligned(in + k) - shift, out + k);
}

TRELLIS_ISA_END
}  // namespace trellis
