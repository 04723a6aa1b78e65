// Stable sort of Morton keys by digits, the most significant first.
#pragma once

#include <cstdint>
#include <vector>

namespace trellis {

struct KeyIndex {
    std::uint64_t key;    // below 2^63
    std::uint32_t index;  // the particle's row
};

// Sorts by key; equal keys keep their order, so that the result does not depend on the number of threads.
// scratch is work space, kept by the caller so that steps reuse it.
void radix_sort(std::vector<KeyIndex>& pairs, std::vector<KeyIndex>& scratch);

}  // namespace trellis
