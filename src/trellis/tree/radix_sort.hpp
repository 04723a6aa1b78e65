// Stable sort of Morton keys by digits, the most significant first.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "trellis/tree/morton.hpp"

namespace trellis {

struct KeyIndex {
    std::uint64_t key;    // below 2^63
    std::uint32_t index;  // the particle's row
};

// Work space of the sort, kept by the caller so that steps reuse it.
struct SortSpace {
    // The first pass moves all pairs once, into buckets that fit the cache.
    static constexpr int top_bits = 11, top_shift = key_bits - top_bits;
    static constexpr std::size_t top_buckets = std::size_t{1} << top_bits;

    std::vector<std::array<std::uint32_t, top_buckets>>
        next;  // for each thread, the slot of the next pair of each bucket
};

// Sorts pairs by key into `sorted`, of the same size. Equal keys keep their order, so that the result does not depend
// on the number of threads. pairs is work space and is undefined afterwards.
void radix_sort(std::span<KeyIndex> pairs, std::span<KeyIndex> sorted, SortSpace& space);

}  // namespace trellis
