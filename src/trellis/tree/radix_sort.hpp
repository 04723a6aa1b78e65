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

// Where each thread's next pairs go, kept by the caller so that steps reuse it.
struct SortSpace {
    // The first pass moves whole memory once; it leaves buckets that fit the cache.
    static constexpr int top_bits = 11, top_shift = key_bits - top_bits;
    static constexpr std::size_t top_buckets = std::size_t{1} << top_bits;

    std::vector<std::array<std::uint32_t, top_buckets>> next;  // of each thread: where each bucket's next pair goes
};

// Puts the pairs into sorted, which has room for as many, by key; equal keys keep their order, so that the result does
// not depend on the number of threads. The pairs' own memory is work space and holds anything afterwards.
void radix_sort(std::span<KeyIndex> pairs, std::span<KeyIndex> sorted, SortSpace& space);

}  // namespace trellis
