// Vectors of fours: four values of each of several particles side by side. For kernel sources only.
#pragma once

#include <cstddef>
#include <cstdint>

#include "trellis/base/simd.hpp"

namespace trellis {
TRELLIS_ISA_BEGIN

// Fours of values side by side. values(u): where those of particle u are, for u below lanes<R> / 4.
template <class R, class Values>
[[gnu::always_inline]] inline Vector<R> side_by_side(const Values& values) {
    static_assert(lanes<R> >= 4, "a vector has four values");
    if constexpr (lanes<R> == 4) return load_unaligned(values(0));
#if defined(__AVX512F__)
    if constexpr (lanes<R> == 16) {
        __m512 fours = _mm512_broadcast_f32x4(_mm_loadu_ps(values(0)));
        fours = _mm512_mask_broadcast_f32x4(fours, 0x00f0, _mm_loadu_ps(values(1)));
        fours = _mm512_mask_broadcast_f32x4(fours, 0x0f00, _mm_loadu_ps(values(2)));
        return _mm512_mask_broadcast_f32x4(fours, 0xf000, _mm_loadu_ps(values(3)));
    } else if constexpr (lanes<R> == 8) {
        const __m512d fours = _mm512_broadcast_f64x4(_mm256_loadu_pd(values(0)));
        return _mm512_mask_broadcast_f64x4(fours, 0xf0, _mm256_loadu_pd(values(1)));
    }
#elif defined(__AVX__)
    if constexpr (lanes<R> == 8) {
        const __m256 first = _mm256_castps128_ps256(_mm_loadu_ps(values(0)));
        return _mm256_insertf128_ps(first, _mm_loadu_ps(values(1)), 1);
    }
#endif
}

// Four vectors of fours become vectors of the first, second, third and fourth values: lane 4 g + k of each is of what
// was the four g of vector k.
[[gnu::always_inline]] inline void transpose_fours(Vector<float> (&fours)[4]) {
    using Index [[gnu::vector_size(vector_bytes)]] = std::int32_t;
    constexpr auto width = static_cast<std::int32_t>(lanes<float>);
    Index low, high, first, second;
    for (std::int32_t lane = 0; lane < width; ++lane) {
        const std::int32_t four = lane / 4 * 4, k = lane % 4;
        low[lane] = four + k / 2 + k % 2 * width;
        high[lane] = low[lane] + 2;
        first[lane] = four + k % 2 + k / 2 * width;
        second[lane] = first[lane] + 2;
    }
    const Vector<float> low0 = __builtin_shuffle(fours[0], fours[1], low);
    const Vector<float> low1 = __builtin_shuffle(fours[2], fours[3], low);
    const Vector<float> high0 = __builtin_shuffle(fours[0], fours[1], high);
    const Vector<float> high1 = __builtin_shuffle(fours[2], fours[3], high);
    fours[0] = __builtin_shuffle(low0, low1, first);
    fours[1] = __builtin_shuffle(low0, low1, second);
    fours[2] = __builtin_shuffle(high0, high1, first);
    fours[3] = __builtin_shuffle(high0, high1, second);
}

TRELLIS_ISA_END
}  // namespace trellis
