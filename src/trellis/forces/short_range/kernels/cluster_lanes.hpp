// The lanes of a cluster's pairs: its 4 i-particles, as often as they fit into a vector, each time with another
// j-particle. For kernel sources only.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "trellis/base/batch.hpp"
#include "trellis/lists/neighbours/search/search_tree.hpp"

namespace trellis {
TRELLIS_ISA_BEGIN

inline constexpr std::size_t cluster_size = SearchTree::cluster_size;

// The number of j-particles that a cluster is evaluated with at once.
template <class R>
inline constexpr std::size_t j_at_once = std::max<std::size_t>(1, lanes<R> / cluster_size);

// Values of all lanes: lane k is of i-particle k % 4 and j-particle k / 4.
template <class R>
using ClusterBatch = Batch<R, static_cast<int>(std::max<std::size_t>(1, cluster_size / lanes<R>))>;

// Fours of values side by side. values(u): where that of j-particle u is.
template <class R, class Values>
[[gnu::always_inline]] inline Vector<R> side_by_side([[maybe_unused]] const Values& values) {
#if defined(__AVX512F__)
    if constexpr (j_at_once<R> == 4) {
        __m512 fours = _mm512_broadcast_f32x4(_mm_loadu_ps(values(0)));
        fours = _mm512_mask_broadcast_f32x4(fours, 0x00f0, _mm_loadu_ps(values(1)));
        fours = _mm512_mask_broadcast_f32x4(fours, 0x0f00, _mm_loadu_ps(values(2)));
        return _mm512_mask_broadcast_f32x4(fours, 0xf000, _mm_loadu_ps(values(3)));
    } else {
        const __m512d fours = _mm512_broadcast_f64x4(_mm256_loadu_pd(values(0)));
        return _mm512_mask_broadcast_f64x4(fours, 0xf0, _mm256_loadu_pd(values(1)));
    }
#elif defined(__AVX__)
    const __m256 first = _mm256_castps128_ps256(_mm_loadu_ps(values(0)));
    return _mm256_insertf128_ps(first, _mm_loadu_ps(values(1)), 1);
#else
    static_assert(j_at_once<R> == 1, "side by side are at least two");
#endif
}

// The same for two fours that follow each other: the first ones of all side by side, and the second ones. values(u):
// aligned.
template <class R, class Values>
[[gnu::always_inline]] inline void side_by_side([[maybe_unused]] const Values& values,
                                                [[maybe_unused]] Vector<R>& first, [[maybe_unused]] Vector<R>& second) {
#if defined(__AVX512F__)
    if constexpr (j_at_once<R> == 4) {
        const auto two = [&](std::size_t u) __attribute__((always_inline)) {
            const __m512 both = _mm512_broadcast_f32x8(_mm256_load_ps(values(u)));
            return _mm512_mask_broadcast_f32x8(both, 0xff00, _mm256_load_ps(values(u + 1)));
        };
        const __m512 low = two(0), high = two(2);
        first = _mm512_shuffle_f32x4(low, high, 0x88);
        second = _mm512_shuffle_f32x4(low, high, 0xdd);
    } else {
        const __m512d low = _mm512_load_pd(values(0)), high = _mm512_load_pd(values(1));
        first = _mm512_shuffle_f64x2(low, high, 0x44);
        second = _mm512_shuffle_f64x2(low, high, 0xee);
    }
#elif defined(__AVX__)
    const __m256 low = _mm256_load_ps(values(0)), high = _mm256_load_ps(values(1));
    first = _mm256_permute2f128_ps(low, high, 0x20);
    second = _mm256_permute2f128_ps(low, high, 0x31);
#else
    static_assert(j_at_once<R> == 1, "side by side are at least two");
#endif
}

// Value c of each four in all of its lanes.
template <class R>
[[gnu::always_inline]] inline Vector<R> spread(const Vector<R>& fours, std::size_t c) {
    using Integer = std::conditional_t<sizeof(R) == 4, std::int32_t, std::int64_t>;
    using Index [[gnu::vector_size(vector_bytes)]] = Integer;
    Index from;
    for (std::size_t lane = 0; lane < lanes<R>; ++lane) from[lane] = static_cast<Integer>(lane / 4 * 4 + c);
    return __builtin_shuffle(fours, fours, from);
}

// out[4 * k + c] = columns[c][k] for k in [0, lanes).
template <class R>
[[gnu::always_inline]] inline void store_side_by_side(const R* const (&columns)[4], R* out) {
    constexpr std::size_t width = lanes<R>;
    if constexpr (width < 4) {
        for (std::size_t k = 0; k < width; ++k)
            for (std::size_t c = 0; c < 4; ++c) out[4 * k + c] = columns[c][k];
    } else {
        using Integer = std::conditional_t<sizeof(R) == 4, std::int32_t, std::int64_t>;
        using Index [[gnu::vector_size(vector_bytes)]] = Integer;
        Index alternate[2], pairs[2];  // of the first and second half of both vectors
        for (std::size_t half = 0; half < 2; ++half)
            for (std::size_t k = 0; k < width; ++k) {
                alternate[half][k] = static_cast<Integer>(half * width / 2 + k / 2 + (k % 2) * width);
                pairs[half][k] = static_cast<Integer>(half * width / 2 + k / 4 * 2 + k % 2 + (k / 2 % 2) * width);
            }
        unroll<2>([&](auto half) __attribute__((always_inline)) {
            const auto low = __builtin_shuffle(load(columns[0]), load(columns[1]), alternate[half]);
            const auto high = __builtin_shuffle(load(columns[2]), load(columns[3]), alternate[half]);
            R* to = out + static_cast<std::size_t>(half) * 2 * width;
            store_unaligned<R>(__builtin_shuffle(low, high, pairs[0]), to);
            store_unaligned<R>(__builtin_shuffle(low, high, pairs[1]), to + width);
        });
    }
}

// One value for each i-particle. values: four.
template <class R>
[[gnu::always_inline]] inline ClusterBatch<R> of_each_i(const R* values) {
    ClusterBatch<R> batch;
    if constexpr (j_at_once<R> == 1) {
        unroll<static_cast<int>(cluster_size / lanes<R>)>(
            [&](auto k) { batch.part[k] = load_unaligned(values + static_cast<std::size_t>(k) * lanes<R>); });
    } else {
        batch.part[0] = side_by_side<R>([&](std::size_t) { return values; });
    }
    return batch;
}

TRELLIS_ISA_END
}  // namespace trellis
