// Interaction lists as a device takes them: for each group, the rows that act on it (see device_pairs.hpp).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "trellis/forces/tree/kernels/device_pairs.hpp"
#include "trellis/lists/walk/listed_tree.hpp"

namespace trellis {

struct DeviceLists {
    std::vector<DeviceGroup> groups;
    std::vector<std::uint32_t> slots;  // of each group's first i-particle, in tree order
    std::vector<RowRange> ranges;
    std::uint64_t index_count = 0;    // of all lists
    std::uint32_t result_count = 0;   // i-particles
    std::uint32_t largest_group = 0;  // its i-particles
    std::uint64_t pairs = 0;          // interactions that the lists stand for

    void clear() { *this = {}; }
    // Adds the groups of another object, whose ranges name rows of the same table.
    void append(const DeviceLists& others);
};

// The rows of the whole table that are in a smaller one, in its order.
using RowSelection = std::vector<std::uint32_t>;

// The lists of each of the branches [begin, end), and with begin = 0 before them those of the groups in the trunk.
// Their rows are those of the whole table. Receiver::particle only: a far cell is a superparticle for every group
// around which it stands on a list.
std::vector<DeviceLists> lists_of_branches(const ListedTree& listed, std::size_t begin, std::size_t end);

// All of these in one.
DeviceLists joined(std::span<const DeviceLists> parts);

// A table with only the rows that these lists name, each once, in the order of the whole table; the lists then name its
// rows. For particles that do not fit into the memory of a device all at once (paper, section 4.1, last paragraph).
// places: work space, a value for each row of the whole table.
RowSelection select_rows(DeviceLists& lists, std::vector<std::uint32_t>& places);

// A table with a copy of each row for each list that it is on, so that every list is one range (paper: method G1, no
// indirect addressing).
RowSelection copy_rows(DeviceLists& lists);

}  // namespace trellis
