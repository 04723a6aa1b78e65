// The rows of particles whose neighbours are evaluated, and what is read for that (Neighbourhood::select).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace trellis {

struct NeighbourSelection {
    std::span<const std::uint8_t> rows = {};  // a flag for each row: 1 if it is selected
    std::vector<std::uint8_t> groups = {};    // a flag for each group: 1 if it has such a row
    // The numbers of the blocks of SortedColumns::block_slots slots that hold i-particles of these groups, and of those
    // that hold i- or j-particles, without ghosts.
    std::vector<std::uint32_t> own_blocks = {}, blocks = {};
};

}  // namespace trellis
