#include "trellis/forces/tree/device/batches/device_lists.hpp"

#include <algorithm>
#include <limits>

#include "trellis/base/parallel.hpp"
#include "trellis/forces/tree/device/batches/rows.hpp"

namespace trellis {

namespace {

// Adds a range to the list of the last group, joined to the range before if it begins where that ends.
void add_range(DeviceLists& lists, RowRange range) {
    DeviceGroup& group = lists.groups.back();
    group.index_count += range.count;
    if (group.range_count > 0 && lists.ranges.back().first + lists.ranges.back().count == range.first) {
        lists.ranges.back().count += range.count;
        return;
    }
    lists.ranges.push_back(range);
    ++group.range_count;
}

void add_group(const ListsOfCells& listed, const Branch& branch, std::size_t t, DeviceLists& lists) {
    const auto cells = listed.cells;
    const Cell& cell = cells[branch.targets[t].cell];
    lists.groups.push_back({.first_row = cell.first,
                            .count = cell.count,
                            .first_range = static_cast<std::uint32_t>(lists.ranges.size()),
                            .range_count = 0,
                            .first_result = lists.counts.results,
                            .index_count = 0,
                            .first_index = lists.counts.indices});
    lists.slots.push_back(cell.first);
    if (cells_are_rows(listed.opening))
        for_targets_around(listed.lists, branch, t, [&](const Branch& around, std::size_t target) {
            for (const std::size_t list : around.lists_of(target))
                for (const std::uint32_t far : around.far_of(list)) add_range(lists, {listed.first_cell_row + far, 1});
        });
    for (const std::size_t list : branch.lists_of(t))
        for (const std::uint32_t near : branch.near_of(list))
            if (cells[near].first < cell.first || cells[near].first >= cell.end())
                add_range(lists, {cells[near].first, cells[near].count});
    const std::uint64_t listed_rows = lists.groups.back().index_count;
    lists.counts.indices += listed_rows;
    lists.counts.results += cell.count;
    lists.counts.largest_group = std::max(lists.counts.largest_group, cell.count);
    lists.counts.pairs += cell.count * (listed_rows + cell.count - 1);
}

DeviceLists lists_of(const ListsOfCells& listed, const Branch& branch) {
    DeviceLists lists;
    for (std::size_t t = 0; t < branch.targets.size(); ++t)
        if (branch.targets[t].group) add_group(listed, branch, t, lists);
    if (!cells_are_rows(listed.opening)) lists.far = far_lists_of(listed, branch);
    lists.counts.groups = lists.groups.size();
    lists.counts.ranges = lists.ranges.size();
    lists.counts.far = lists.far.counts();
    return lists;
}

}  // namespace

ListCounts& ListCounts::operator+=(const ListCounts& others) {
    groups += others.groups;
    ranges += others.ranges;
    far += others.far;
    indices += others.indices;
    results += others.results;
    largest_group = std::max(largest_group, others.largest_group);
    pairs += others.pairs;
    return *this;
}

Work ListCounts::work() const {
    return {.pairs = pairs + far.multipoles, .expansions = far.expansions, .multipoles = far.multipoles};
}

ListCounts counts_of(std::span<const DeviceLists> parts) {
    ListCounts all;
    for (const DeviceLists& part : parts) all += part.counts;
    return all;
}

void write_joined(std::span<const DeviceLists> parts, const ListPlaces& to, ResultOrder order) {
    std::vector<ListCounts> before(parts.size());
    for (std::size_t k = 0; k + 1 < parts.size(); ++k) (before[k + 1] = before[k]) += parts[k].counts;
    parallel_tasks(parts.size(), [&](std::size_t k, int) {
        const DeviceLists& part = parts[k];
        DeviceGroup* out = to.groups + before[k].groups;
        for (DeviceGroup group : part.groups) {
            group.first_range += static_cast<std::uint32_t>(before[k].ranges);
            group.first_result = order == ResultOrder::slots ? group.first_row : group.first_result + before[k].results;
            group.first_index += before[k].indices;
            *out++ = group;
        }
        std::ranges::copy(part.ranges, to.ranges + before[k].ranges);
        write_moved(part.far, before[k].far, to.far);
    });
}

DeviceLists joined(std::span<const DeviceLists> parts) {
    DeviceLists all;
    all.counts = counts_of(parts);
    all.groups.resize(all.counts.groups);
    all.ranges.resize(all.counts.ranges);
    write_joined(parts, {all.groups.data(), all.ranges.data(), room_for(all.counts.far, all.far)});
    for (const DeviceLists& part : parts) all.slots.insert(all.slots.end(), part.slots.begin(), part.slots.end());
    return all;
}

std::vector<DeviceLists> lists_of_branches(const ListsOfCells& listed, std::size_t begin, std::size_t end) {
    std::vector<DeviceLists> parts;
    if (begin == 0) parts.push_back(lists_of(listed, listed.lists.trunk));
    const std::size_t before = parts.size();
    parts.resize(before + end - begin);
    parallel_tasks(end - begin, [&](std::size_t k, int) {
        parts[before + k] = lists_of(listed, listed.lists.branches()[begin + k]);
    });
    return parts;
}

RowSelection select_rows(DeviceLists& lists, std::vector<std::uint32_t>& numbers) {
    constexpr std::uint32_t absent = std::numeric_limits<std::uint32_t>::max(), wanted = 0;
    std::ranges::fill(numbers, absent);
    for (const RowRange& range : lists.ranges) std::fill_n(numbers.begin() + range.first, range.count, wanted);
    for (const DeviceGroup& group : lists.groups) std::fill_n(numbers.begin() + group.first_row, group.count, wanted);
    RowSelection rows;
    for (std::uint32_t row = 0; row < numbers.size(); ++row) {
        if (numbers[row] == absent) continue;
        numbers[row] = static_cast<std::uint32_t>(rows.size());
        rows.push_back(row);
    }
    // All rows of a range are selected, and so stay consecutive.
    for (RowRange& range : lists.ranges) range.first = numbers[range.first];
    for (DeviceGroup& group : lists.groups) group.first_row = numbers[group.first_row];
    return rows;
}

RowSelection copy_rows(DeviceLists& lists) {
    RowSelection rows;
    rows.reserve(lists.counts.indices + lists.counts.results);
    const auto copy = [&](const RowRange& range) {
        for (std::uint32_t k = 0; k < range.count; ++k) rows.push_back(range.first + k);
    };
    std::vector<RowRange> whole_lists;
    for (DeviceGroup& group : lists.groups) {
        const auto own = static_cast<std::uint32_t>(rows.size());
        copy({group.first_row, group.count});
        const auto list = static_cast<std::uint32_t>(rows.size());
        for (std::uint32_t k = 0; k < group.range_count; ++k) copy(lists.ranges[group.first_range + k]);
        group.first_row = own;
        group.first_range = static_cast<std::uint32_t>(whole_lists.size());
        group.range_count = 1;
        whole_lists.push_back({list, group.index_count});
    }
    lists.ranges = std::move(whole_lists);
    lists.counts.ranges = lists.ranges.size();
    return rows;
}

}  // namespace trellis
