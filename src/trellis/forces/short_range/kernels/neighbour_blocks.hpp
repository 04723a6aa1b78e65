// Input and output of a device's kernels for forces of short range, the same on processors and GPUs.
//
// Rows. All j-particles are in one table: local particles by slot, ghosts behind them, then the images of local
// particles that any list names, each once. So a list names rows, and kernels know neither ghosts nor images. A row is
// one of row_layout.hpp: its position is a rounded value and the rest, so that single precision loses nothing far from
// the origin.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "trellis/lists/neighbours/search/search_tree.hpp"

namespace trellis {

// i-particles of consecutive rows, and their j-particles: the rows entries[begin] to entries[begin + length - 1], and
// the other i-particles of the block. With excluded pairs there are `masked` more entries behind those, which count by
// factors: entry m of these by factors[block_size * (first_mask + m) + i] for i-particle i of the block. Then the
// block's own particles are on these lists too, each with a factor of 0 for itself.
struct ListedBlock {
    std::uint32_t first, count;  // at most SearchTree::block_size
    std::uint32_t length, masked;
    std::uint64_t begin, first_mask;

    std::uint64_t pairs() const { return std::uint64_t{count} * (length + (masked > 0 ? masked : count) - 1); }
};

// A local particle that is in the table a second time, moved by the shift of an image (NeighbourLists::shift).
struct ImageRow {
    std::uint32_t slot, image;
};

// The number of elements of a launch: one for each slot of a block, with or without an i-particle.
constexpr std::size_t elements_of(std::size_t blocks) { return blocks * SearchTree::block_size; }

// The names by which devices know the kernels of an interaction: over lists, and over their masked entries.
inline std::string neighbours_kernel(const char* interaction, std::size_t value_bytes) {
    return std::string(interaction) + (value_bytes == sizeof(float) ? ".neighbours.single" : ".neighbours.double");
}
inline std::string masked_kernel(const char* interaction, std::size_t value_bytes) {
    return std::string(interaction) + (value_bytes == sizeof(float) ? ".masked.single" : ".masked.double");
}
// The name of the kernel that finishes the outcome of particles that stay on the device.
inline std::string finish_kernel(const char* interaction, std::size_t value_bytes) {
    return std::string(interaction) + (value_bytes == sizeof(float) ? ".finish.single" : ".finish.double");
}

}  // namespace trellis
