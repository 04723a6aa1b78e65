// A cell of the tree, its creation and its division, by the same source on the host and on devices. In all functions
// keys[slot] is the Morton key of a sorted slot.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#include "trellis/base/gpu.hpp"
#include "trellis/tree/morton.hpp"

namespace trellis {

inline constexpr int most_depth = 2 * key_bits;

struct Cell {
    std::uint32_t first;  // the particles are the sorted slots [first, first + count)
    std::uint32_t count;
    std::uint32_t child;  // the children are the cells child and child + 1; 0 for a leaf
    std::int32_t depth;   // number of leading key bits that the particles share, up to 63; with finer keys up to 126

    TRELLIS_HOST_DEVICE bool is_leaf() const { return child == 0; }
    // True for a cell of another rank's tree (see ImportedCells) that acts as a whole: its particles are not imported.
    TRELLIS_HOST_DEVICE bool is_closed() const { return count == 0; }
    TRELLIS_HOST_DEVICE std::uint32_t end() const { return first + count; }
    friend bool operator==(const Cell& a, const Cell& b) = default;
};

TRELLIS_HOST_DEVICE inline int leading_zeros(std::uint64_t bits) {
#if defined(TRELLIS_ON_GPU)
    return __clzll(static_cast<long long>(bits));
#else
    return std::countl_zero(bits);
#endif
}

// A cell without children.
template <class Keys>
TRELLIS_HOST_DEVICE Cell cell_of(const Keys& keys, std::uint32_t first, std::uint32_t end) {
    return {first, end - first, 0, leading_zeros(keys[first] ^ keys[end - 1]) - (64 - key_bits)};
}

// True if a cell has too many particles for a leaf, and their keys differ. For trees without finer keys.
TRELLIS_HOST_DEVICE inline bool must_split(const Cell& cell, std::uint32_t leaf_size) {
    return cell.count > leaf_size && cell.depth != key_bits;
}

// Makes the children of a cell, cells[cell.child] and cells[cell.child + 1].
template <class Keys>
TRELLIS_HOST_DEVICE void make_children(const Cell& cell, const Keys& keys, Cell* cells) {
    const int before = cell.depth < key_bits ? 0 : key_bits;  // bits of keys that finer ones have replaced
    const std::uint64_t bit = std::uint64_t{1} << (key_bits - 1 - (cell.depth - before));
    std::uint32_t middle = cell.first;  // the first slot whose key has the bit
    for (std::uint32_t left = cell.count; left > 0;) {
        const std::uint32_t half = left / 2;
        const bool below = (keys[middle + half] & bit) == 0;
        middle += below ? half + 1 : 0;
        left = below ? left - half - 1 : half;
    }
    cells[cell.child] = cell_of(keys, cell.first, middle);
    cells[cell.child + 1] = cell_of(keys, middle, cell.end());
    for (std::uint32_t side = 0; side < 2; ++side) cells[cell.child + side].depth += before;
}

// The longest side of a cell's box in a root cell of side root_side.
TRELLIS_HOST_DEVICE inline double side_of(const Cell& cell, double root_side) {
    return std::ldexp(root_side, -(cell.depth / 3));
}

}  // namespace trellis
