// Tree and lists of a device, downloaded to the host.
#pragma once

#include <algorithm>
#include <vector>

#include "trellis/devices/device.hpp"
#include "trellis/forces/tree/kernels/device_pairs.hpp"
#include "trellis/resident/resident_tree_force.hpp"
#include "trellis/tree/contents.hpp"

namespace trellis {

template <class T>
std::vector<T> downloaded(Queue& queue, const DeviceMemory& memory, std::size_t count) {
    std::vector<T> values(count);
    if (count == 0) return values;
    queue.download(memory, 0, std::as_writable_bytes(std::span(values)));
    queue.wait();
    return values;
}

// A group's rows, in ascending order.
struct RowsOfGroup {
    std::uint32_t first, count;
    std::vector<std::uint32_t> rows;
    friend bool operator==(const RowsOfGroup&, const RowsOfGroup&) = default;
};

inline void sort_groups(std::vector<RowsOfGroup>& groups) {
    for (RowsOfGroup& group : groups) std::ranges::sort(group.rows);
    std::ranges::sort(groups, {}, &RowsOfGroup::first);
}

inline std::vector<RowsOfGroup> downloaded_lists(Queue& queue, const ResidentLists& lists) {
    const auto indices = downloaded<std::uint32_t>(queue, lists.indices(), lists.index_count());
    std::vector<RowsOfGroup> groups;
    for (const DeviceGroup& group : downloaded<DeviceGroup>(queue, lists.groups(), lists.group_count())) {
        const auto begin = indices.begin() + static_cast<std::ptrdiff_t>(group.first_index);
        groups.push_back({group.first_row, group.count, {begin, begin + group.index_count}});
    }
    sort_groups(groups);
    return groups;
}

}  // namespace trellis
