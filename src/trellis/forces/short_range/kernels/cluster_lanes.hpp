// The lanes of a cluster's pairs: its 4 i-particles, as often as they fit into a vector, each time with another
// j-particle. For kernel sources only.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "trellis/base/batch.hpp"
#include "trellis/lists/neighbours/search/fours.hpp"
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

// side_by_side for two fours that follow each other: the first ones of all, and the second ones. values(u): aligned.
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
