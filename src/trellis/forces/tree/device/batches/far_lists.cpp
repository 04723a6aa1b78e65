#include "trellis/forces/tree/device/batches/far_lists.hpp"

#include <algorithm>

namespace trellis {

namespace {

// The number of a target, or of the one around it.
std::uint32_t number_of(const ListsOfCells& listed, const Branch& branch, std::size_t target) {
    return static_cast<std::uint32_t>(target) | (&branch == &listed.lists.trunk ? of_trunk : 0);
}
std::uint32_t parent_of(const ListsOfCells& listed, const Branch& branch, std::size_t t) {
    const Target& target = branch.targets[t];
    if (target.cell == 0) return no_target;
    return number_of(listed, t == 0 ? listed.lists.trunk : branch, target.parent);
}

void append_cells(std::span<const std::uint32_t> cells, std::vector<std::uint32_t>& all) {
    all.insert(all.end(), cells.begin(), cells.end());
}

void add_target(const ListsOfCells& listed, const Branch& branch, std::size_t t, FarLists& lists) {
    const auto first = static_cast<std::uint32_t>(lists.cells.size());
    for (const std::size_t list : branch.lists_of(t)) append_cells(branch.far_of(list), lists.cells);
    const auto count = static_cast<std::uint32_t>(lists.cells.size()) - first;
    lists.targets.push_back({branch.targets[t].cell, parent_of(listed, branch, t), first, count});
    lists.expansions += count;
}

void add_group(const ListsOfCells& listed, const Branch& branch, std::size_t t, FarLists& lists) {
    const auto first = static_cast<std::uint32_t>(lists.cells.size());
    const bool has_local = listed.opening.receiver == Receiver::cell;
    if (has_local)
        for (const std::size_t list : branch.lists_of(t)) append_cells(branch.super_of(list), lists.cells);
    else
        for_targets_around(listed.lists, branch, t, [&](const Branch& around, std::size_t target) {
            for (const std::size_t list : around.lists_of(target)) append_cells(around.far_of(list), lists.cells);
        });
    const auto count = static_cast<std::uint32_t>(lists.cells.size()) - first;
    const std::uint32_t cell = branch.targets[t].cell;
    lists.groups.push_back({cell, has_local ? number_of(listed, branch, t) : no_target, first, count});
    lists.multipoles += std::uint64_t{count} * listed.cells[cell].count;
}

}  // namespace

ListsOfCells::ListsOfCells(const ListedTree& listed)
    : ListsOfCells(listed.tree().cells(), listed.lists(), listed.opening(),
                   static_cast<std::uint32_t>(listed.columns().slots())) {}

FarCounts& FarCounts::operator+=(const FarCounts& others) {
    targets += others.targets;
    groups += others.groups;
    cells += others.cells;
    expansions += others.expansions;
    multipoles += others.multipoles;
    return *this;
}

void write_moved(const FarLists& lists, const FarCounts& before, const FarPlaces& to) {
    const auto first_target = static_cast<std::uint32_t>(before.targets);
    const auto first_cell = static_cast<std::uint32_t>(before.cells);
    const auto moved = [first_target](std::uint32_t target) {
        return (target & of_trunk) != 0 ? target : target + first_target;
    };
    std::ranges::transform(lists.targets, to.targets + before.targets, [&](const FarTarget& of) {
        return FarTarget{of.cell, moved(of.parent), of.first_cell + first_cell, of.cell_count};
    });
    std::ranges::transform(lists.groups, to.groups + before.groups, [&](const FarGroup& of) {
        return FarGroup{of.cell, moved(of.target), of.first_cell + first_cell, of.cell_count};
    });
    std::ranges::copy(lists.cells, to.cells + before.cells);
}

FarPlaces room_for(const FarCounts& counts, FarLists& lists) {
    lists.targets.resize(counts.targets);
    lists.groups.resize(counts.groups);
    lists.cells.resize(counts.cells);
    lists.expansions = counts.expansions;
    lists.multipoles = counts.multipoles;
    return {lists.targets.data(), lists.groups.data(), lists.cells.data()};
}

FarLists far_lists_of(const ListsOfCells& listed, const Branch& branch) {
    FarLists lists;
    const bool has_targets = listed.opening.receiver == Receiver::cell && &branch != &listed.lists.trunk;
    for (std::size_t t = 0; t < branch.targets.size(); ++t) {
        if (has_targets) add_target(listed, branch, t, lists);
        if (branch.targets[t].group) add_group(listed, branch, t, lists);
    }
    return lists;
}

FarLists trunk_targets(const ListsOfCells& listed) {
    FarLists lists;
    const Branch& trunk = listed.lists.trunk;
    if (listed.opening.receiver == Receiver::cell)
        for (std::size_t t = 0; t < trunk.targets.size(); ++t) add_target(listed, trunk, t, lists);
    return lists;
}

}  // namespace trellis
