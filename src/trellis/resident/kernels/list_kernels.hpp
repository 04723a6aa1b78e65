// Grid kernels of a resident force that make its lists, and check that they are still valid.
//
// A group's list is made by one element for each branch of the tree at depth walk_depth: an element goes from the root
// to its branch and walks that branch alone. A cell on the way that acts as a whole, or is a leaf, is listed by the
// first of the branches below it.
#pragma once

#include "trellis/devices/grid_kernel.hpp"
#include "trellis/devices/shared_words.hpp"
#include "trellis/forces/tree/kernels/device_pairs.hpp"
#include "trellis/lists/walk/opening.hpp"
#include "trellis/lists/walk/walk_table.hpp"
#include "trellis/resident/kernels/state.hpp"
#include "trellis/tree/contents.hpp"
#include "trellis/tree/softening.hpp"

namespace trellis {

inline constexpr std::uint32_t walk_depth = 5;
inline constexpr std::uint32_t walk_shares = 1U << walk_depth;  // elements per group
inline constexpr int superparticle_power = 2;  // exponent in the criterion of opening.hpp, for monopoles

// The groups among the children of a cell, and the root, if it is a group.
struct GroupsBelow {
    std::uint32_t group_size;
    const Cell* cells = nullptr;

    TRELLIS_HOST_DEVICE bool small(std::uint32_t cell) const {
        return cells[cell].count <= group_size || cells[cell].is_leaf();
    }
    // Calls visit(cell) for the cell of each group.
    template <class Visit>
    TRELLIS_HOST_DEVICE void visit(std::uint32_t cell, Visit&& visit) const {
        if (small(cell)) {
            if (cell == 0) visit(cell);
            return;
        }
        const std::uint32_t child = cells[cell].child;
        if (small(child)) visit(child);
        if (small(child + 1)) visit(child + 1);
    }
};

// Sets the marks to zero, which begins a new set of groups.
struct ClearMarks {
    static constexpr const char* name = "resident.clear_marks";
    static constexpr Phase phase = Phase::make_interaction_list;
    std::uint32_t group_size;
    std::uint32_t* marks = nullptr;
    ResidentValues* state = nullptr;
    auto arrays() { return std::tie(marks, state); }
    auto sizes(std::uint64_t elements) const { return array_sizes(elements, 1); }
    TRELLIS_HOST_DEVICE void operator()(std::size_t k) const {
        marks[k] = 0;
        if (k > 0) return;
        state->largest_group = group_size;
        state->pairs = 0;
    }
};

// Marks the first particle of each group.
struct MarkGroups {
    static constexpr const char* name = "resident.mark_groups";
    static constexpr Phase phase = Phase::make_interaction_list;
    GroupsBelow groups;
    const ResidentValues* state = nullptr;
    std::uint32_t* marks = nullptr;
    auto arrays() { return std::tie(groups.cells, state, marks); }
    auto sizes(std::uint64_t elements) const { return array_sizes(elements, 1, 1); }
    TRELLIS_HOST_DEVICE void operator()(std::size_t k) const {
        if (k >= state->cell_count) return;
        groups.visit(static_cast<std::uint32_t>(k), [&](std::uint32_t cell) { marks[groups.cells[cell].first] = 1; });
    }
};

// Lists the cells of the groups in the order of their particles: neighbours in space share much of their lists.
// groups_before: the number of groups that begin before a particle.
struct CollectGroups {
    static constexpr const char* name = "resident.collect_groups";
    static constexpr Phase phase = Phase::make_interaction_list;
    std::uint32_t particles, room;
    GroupsBelow groups;
    const std::uint32_t* groups_before = nullptr;
    std::uint32_t* group_cells = nullptr;
    ResidentValues* state = nullptr;
    auto arrays() { return std::tie(groups.cells, groups_before, group_cells, state); }
    auto sizes(std::uint64_t elements) const {
        return array_sizes(elements, size_sum(particles, 1), ArraySize::if_present(1), 1);
    }
    TRELLIS_HOST_DEVICE void operator()(std::size_t k) const {
        if (k == 0) count(groups_before[particles]);
        if (k >= state->cell_count) return;
        groups.visit(static_cast<std::uint32_t>(k),
                     [&](std::uint32_t cell) { group_cells[groups_before[groups.cells[cell].first]] = cell; });
    }
    TRELLIS_HOST_DEVICE void count(std::uint32_t found) const {
        state->groups_found = found;
        state->group_count = found <= room ? found : 0;
        if (found > room) raise_to(state->lists_invalid, lists_unfinished);
    }
};

// The error that a group tolerates: the smallest tolerance of its particles. share: the relative error allowed to each
// particle's last acceleration; infinite: any error.
struct GroupTolerances {
    static constexpr const char* name = "resident.group_tolerances";
    static constexpr Phase phase = Phase::make_interaction_list;
    double share, coupling;
    const Cell* cells = nullptr;
    const std::uint32_t* group_cells = nullptr;
    const Vec3<double>* accelerations = nullptr;
    const ResidentValues* state = nullptr;
    double* tolerances = nullptr;
    auto arrays() { return std::tie(cells, group_cells, accelerations, state, tolerances); }
    auto sizes(std::uint64_t groups) const { return array_sizes(1, groups, 1, 1, groups); }
    TRELLIS_HOST_DEVICE void operator()(std::size_t g) const {
        if (g >= state->group_count) return;
        double smallest = any_error;
        const Cell group = cells[group_cells[g]];
        if (share != any_error)
            for (std::uint32_t row = group.first; row < group.end(); ++row) {
                const Vec3<double> a = accelerations[row];
                smallest = std::min(smallest, share * std::sqrt(dot(a, a)) / coupling);
            }
        tolerances[g] = smallest;
    }
};

// The opening criterion between a cell and a group.
struct GroupOpening {
    Opening opening;
    const CellContents* contents = nullptr;
    const CellSize* sizes = nullptr;
    const CellSoftening* softenings = nullptr;  // null if they do not differ

    TRELLIS_HOST_DEVICE bool accepts(std::uint32_t cell, const Bounds& group, double tolerance) const {
        const CellContents& content = contents[cell];
        const double variation = softenings != nullptr ? softenings[cell].variation() : 0;
        return acceptable(sizes[cell].now(content.sphere.radius), nearest_distance2(group, content.sphere.centre),
                          content.weight, variation, opening, superparticle_power, tolerance);
    }
};

// Walks one share of a group's list: calls put(first row, rows) for each superparticle and each leaf of the share,
// except the leaves of the group itself.
struct GroupWalk {
    std::uint32_t particles;
    GroupOpening by;
    const Cell* cells = nullptr;
    const std::uint32_t* group_cells = nullptr;
    const double* tolerances = nullptr;

    template <class Put>
    TRELLIS_HOST_DEVICE void share(std::size_t k, Put&& put) const {
        const std::size_t g = k / walk_shares;
        const auto number = static_cast<std::uint32_t>(k % walk_shares);
        const std::uint32_t target = group_cells[g];
        const Bounds bounds = by.contents[target].bounds;
        const Cell group = cells[target];
        // True if the walk must go on to the cell's children.
        const auto opens = [&](std::uint32_t index, const Cell& cell, bool mine) {
            if (by.accepts(index, bounds, tolerances[g])) {
                if (mine) put(particles + index, std::uint32_t{1});
                return false;
            }
            if (!cell.is_leaf()) return true;
            if (mine && (cell.first < group.first || cell.first >= group.end())) put(cell.first, cell.count);
            return false;
        };
        std::uint32_t branch = 0;
        for (std::uint32_t left = walk_depth; left > 0; --left) {
            const Cell cell = cells[branch];
            if (!opens(branch, cell, number % (1U << left) == 0)) return;
            branch = cell.child + (number >> (left - 1)) % 2;
        }
        std::uint32_t waiting[key_bits + 2];
        std::uint32_t count = 0;
        waiting[count++] = branch;
        while (count > 0) {
            const std::uint32_t index = waiting[--count];
            const Cell cell = cells[index];
            if (!opens(index, cell, true)) continue;
            waiting[count++] = cell.child + 1;
            waiting[count++] = cell.child;
        }
    }
};

TRELLIS_HOST_DEVICE inline std::uint64_t shares_of_lists(const ResidentValues& state) {
    return std::uint64_t{state.group_count} * walk_shares;
}

// The number of groups with all or some of these shares.
constexpr std::uint64_t groups_of_shares(std::uint64_t shares) {
    return size_sum(shares, walk_shares - 1) / walk_shares;
}

// Counts the rows on each share of a list. The element behind the last share writes 0.
struct CountRows {
    static constexpr const char* name = "resident.count_rows";
    static constexpr Phase phase = Phase::make_interaction_list;
    static constexpr bool uneven = true;
    GroupWalk walk;
    const ResidentValues* state = nullptr;
    std::uint64_t* counts = nullptr;
    auto arrays() {
        return std::tie(walk.cells, walk.by.contents, walk.by.sizes, walk.by.softenings, walk.group_cells,
                        walk.tolerances, state, counts);
    }
    auto sizes(std::uint64_t shares) const {
        const std::uint64_t groups = shares == 0 ? 0 : groups_of_shares(shares - 1), any = groups > 0 ? 1 : 0;
        return array_sizes(any, any, any, ArraySize::if_present(1), groups, groups, 1, shares);
    }
    TRELLIS_HOST_DEVICE void operator()(std::size_t k) const {
        std::uint64_t total = 0;
        if (k < shares_of_lists(*state)) walk.share(k, [&](std::uint32_t, std::uint32_t rows) { total += rows; });
        counts[k] = total;
    }
};

// Writes the groups for the pair kernels, once the lengths of the lists are known. begins: the offset of each share
// among all indices. Groups behind the last one are empty; if memory for the indices does not suffice, all are.
struct DescribeGroups {
    static constexpr const char* name = "resident.describe_groups";
    static constexpr Phase phase = Phase::make_interaction_list;
    std::uint64_t room;           // size of the array of indices
    std::uint32_t largest_group;  // size that the pair kernel is launched for
    const Cell* cells = nullptr;
    const std::uint32_t* group_cells = nullptr;
    const std::uint64_t* begins = nullptr;
    DeviceGroup* groups = nullptr;
    ResidentValues* state = nullptr;
    auto arrays() { return std::tie(cells, group_cells, begins, groups, state); }
    auto sizes(std::uint64_t elements) const {
        return array_sizes(1, elements, size_sum(size_product(elements, walk_shares), 1), elements, 1);
    }
    TRELLIS_HOST_DEVICE void operator()(std::size_t g) const {
        if (g >= state->group_count) {
            groups[g] = {};
            return;
        }
        const Cell cell = cells[group_cells[g]];
        const std::uint64_t begin = begins[g * walk_shares], total = begins[shares_of_lists(*state)];
        const bool fits = total <= room && cell.count <= largest_group;
        const std::uint64_t rows = fits ? begins[(g + 1) * walk_shares] - begin : 0;
        // Results are in the order of the particles.
        groups[g] = {cell.first, fits ? cell.count : 0, 0, 0, cell.first, static_cast<std::uint32_t>(rows), begin};
        add_to(state->pairs, cell.count * (rows + cell.count - 1));
        raise_to(state->largest_group, cell.count);
        if (!fits) raise_to(state->lists_invalid, lists_unfinished);
        if (g == 0) state->index_count = total;
    }
};

// Writes the rows of the lists, if memory suffices for all. In each share superparticles come first, so that CheckLists
// finds them together.
struct WriteRows {
    static constexpr const char* name = "resident.write_rows";
    static constexpr Phase phase = Phase::make_interaction_list;
    static constexpr bool uneven = true;
    std::uint64_t room;
    GroupWalk walk;
    const std::uint64_t* begins = nullptr;
    const ResidentValues* state = nullptr;
    std::uint32_t* indices = nullptr;
    auto arrays() {
        return std::tie(walk.cells, walk.by.contents, walk.by.sizes, walk.by.softenings, walk.group_cells,
                        walk.tolerances, begins, state, indices);
    }
    auto sizes(std::uint64_t shares) const {
        const std::uint64_t groups = groups_of_shares(shares);
        return array_sizes(1, 1, 1, ArraySize::if_present(1), groups, groups, size_sum(shares, 1), 1, room);
    }
    TRELLIS_HOST_DEVICE void operator()(std::size_t k) const {
        const std::uint64_t shares = shares_of_lists(*state);
        if (k >= shares || begins[shares] > room) return;
        std::uint32_t *front = indices + begins[k], *back = indices + begins[k + 1];
        walk.share(k, [&](std::uint32_t first, std::uint32_t rows) {
            if (first >= walk.particles) {
                *front++ = first;
            } else {
                back -= rows;
                for (std::uint32_t row = 0; row < rows; ++row) back[row] = first + row;
            }
        });
    }
};

// Records that the lists are outgrown if a superparticle on the lists would no longer be accepted at its present
// position (see recheck.hpp).
struct CheckLists {
    static constexpr const char* name = "resident.check_lists";
    static constexpr Phase phase = Phase::check_lists;
    static constexpr bool uneven = true;
    std::uint32_t particles;
    double more_error;  // factor by which a greater error is allowed
    GroupOpening by;    // criterion for sizes over distances that have grown as much as they may
    const std::uint32_t* group_cells = nullptr;
    const double* tolerances = nullptr;
    const std::uint64_t* begins = nullptr;
    const std::uint32_t* indices = nullptr;
    ResidentValues* state = nullptr;
    auto arrays() {
        return std::tie(by.contents, by.sizes, by.softenings, group_cells, tolerances, begins, indices, state);
    }
    auto sizes(std::uint64_t shares) const {
        const std::uint64_t groups = groups_of_shares(shares);
        return array_sizes(1, 1, ArraySize::if_present(1), groups, groups, size_sum(shares, 1), 1, 1);
    }
    TRELLIS_HOST_DEVICE void operator()(std::size_t k) const {
        const std::size_t g = k / walk_shares;
        const Bounds bounds = by.contents[group_cells[g]].bounds;
        for (std::uint64_t i = begins[k]; i < begins[k + 1] && indices[i] >= particles; ++i)
            if (!by.accepts(indices[i] - particles, bounds, more_error * tolerances[g]))
                return raise_to(state->lists_invalid, lists_outgrown);
    }
};

using ListGridKernels = GridKernels<ClearMarks, MarkGroups, CollectGroups, GroupTolerances, CountRows, DescribeGroups,
                                    WriteRows, CheckLists>;

}  // namespace trellis
