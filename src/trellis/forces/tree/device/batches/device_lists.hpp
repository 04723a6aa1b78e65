// Interaction lists as a device takes them: for each group, the rows that act on it (see device_pairs.hpp).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "trellis/forces/tree/device/batches/far_lists.hpp"
#include "trellis/forces/tree/kernels/device_pairs.hpp"
#include "trellis/forces/work.hpp"
#include "trellis/lists/walk/listed_tree.hpp"

namespace trellis {

// The sizes of lists.
struct ListCounts {
    std::size_t groups = 0, ranges = 0;
    FarCounts far;
    std::uint64_t indices = 0;        // rows on all lists
    std::uint32_t results = 0;        // i-particles
    std::uint32_t largest_group = 0;  // most i-particles of a group
    std::uint64_t pairs = 0;          // interactions that the lists stand for

    ListCounts& operator+=(const ListCounts& others);
    Work work() const;
};

struct DeviceLists {
    std::vector<DeviceGroup> groups;
    std::vector<std::uint32_t> slots;  // slot of each group's first i-particle, in tree order
    std::vector<RowRange> ranges;
    FarLists far;  // far cells that are no rows, if any
    ListCounts counts;
};

// The rows of the whole table that a smaller one holds, in the order of the smaller one.
using RowSelection = std::vector<std::uint32_t>;

// The lists of the branches [begin, end), one object each; if begin = 0, the lists of the groups in the trunk come
// first. They name rows of the whole table. A far cell that is a row (cells_are_rows) is a
// superparticle for each group below the target on whose list it is.
std::vector<DeviceLists> lists_of_branches(const ListsOfCells& listed, std::size_t begin, std::size_t end);

// The sizes of all of them together.
ListCounts counts_of(std::span<const DeviceLists> parts);

// Memory for lists, with room for what the counts say of each.
struct ListPlaces {
    DeviceGroup* groups;
    RowRange* ranges;
    FarPlaces far;
};

// The order of the results of i-particles: that of their groups, or of their slots, if the lists are those of all.
enum class ResultOrder { groups, slots };

// Writes the lists of all parts one behind another, as if they had been made as one.
void write_joined(std::span<const DeviceLists> parts, const ListPlaces& to, ResultOrder order = ResultOrder::groups);

// The same, as an object.
DeviceLists joined(std::span<const DeviceLists> parts);

// A table with only the rows that these lists name, each once, in the order of the whole table; the lists then name its
// rows. For particles that do not fit into the memory of a device (paper, section 4.1, last paragraph). numbers: work
// space, one value for each row of the whole table.
RowSelection select_rows(DeviceLists& lists, std::vector<std::uint32_t>& numbers);

// A table with one copy of a row for each list that names it, so that every list is one range (paper: method G1, no
// indirect addressing).
RowSelection copy_rows(DeviceLists& lists);

}  // namespace trellis
