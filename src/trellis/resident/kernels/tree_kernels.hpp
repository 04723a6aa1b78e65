// Grid kernels of a resident force that build the tree, level by level, and find the contents of its cells.
//
// The host does not know the number of cells meanwhile: kernels are launched for the largest possible number, and
// elements beyond the actual one do nothing. If memory does not suffice for the cells, cell_count is 0 and the lists
// are unfinished.
#pragma once

#include "trellis/devices/grid_kernel.hpp"
#include "trellis/devices/shared_words.hpp"
#include "trellis/forces/precision.hpp"
#include "trellis/lists/walk/walk_table.hpp"
#include "trellis/resident/kernels/state.hpp"
#include "trellis/tree/contents.hpp"
#include "trellis/tree/softening.hpp"

namespace trellis {

// One element: makes the root cell, level 0, with which a new tree and new lists begin.
struct RootCell {
    static constexpr const char* name = "resident.root_cell";
    static constexpr Phase phase = Phase::link_tree_cell;
    std::uint32_t particles;
    const std::uint64_t* keys = nullptr;
    Cell* cells = nullptr;
    ResidentValues* state = nullptr;
    auto arrays() { return std::tie(keys, cells, state); }
    auto sizes(std::uint64_t elements) const {
        return array_sizes(particles == 0 ? no_size : particles, single(elements), 1);
    }
    TRELLIS_HOST_DEVICE void operator()(std::size_t) const {
        cells[0] = cell_of(keys, 0, particles);
        state->levels[0] = 0;
        state->levels[1] = 1;
        state->lists_invalid = 0;
    }
};

// Element k: 1 if cell k of a level must be split, else 0, also beyond the level.
struct MarkSplits {
    static constexpr const char* name = "resident.mark_splits";
    static constexpr Phase phase = Phase::link_tree_cell;
    std::uint32_t level, leaf_size;
    const Cell* cells = nullptr;
    const ResidentValues* state = nullptr;
    std::uint32_t* marks = nullptr;
    auto arrays() { return std::tie(cells, state, marks); }
    auto sizes(std::uint64_t elements) const { return array_sizes(1, level > most_levels ? no_size : 1, elements); }
    TRELLIS_HOST_DEVICE void operator()(std::size_t k) const {
        const std::uint32_t begin = state->levels[level], end = state->levels[level + 1];
        marks[k] = k < end - begin && must_split(cells[begin + k], leaf_size) ? 1 : 0;
    }
};

// Element k: makes the children of cell k of a level, if it must be split. splits: the number of cells before it that
// must. There is one element more than the level can have cells; the element behind its last cell records where the
// next level ends.
struct SplitCells {
    static constexpr const char* name = "resident.split_cells";
    static constexpr Phase phase = Phase::link_tree_cell;
    std::uint32_t level, leaf_size;
    const std::uint64_t* keys = nullptr;
    const std::uint32_t* splits = nullptr;
    Cell* cells = nullptr;
    ResidentValues* state = nullptr;
    auto arrays() { return std::tie(keys, splits, cells, state); }
    auto sizes(std::uint64_t elements) const { return array_sizes(1, elements, 1, level < most_levels ? 1 : no_size); }
    TRELLIS_HOST_DEVICE void operator()(std::size_t k) const {
        const std::uint32_t begin = state->levels[level], end = state->levels[level + 1];
        if (k > end - begin) return;
        const std::uint32_t child = end + 2 * splits[k];
        if (k == end - begin) {
            state->levels[level + 2] = child;
            return;
        }
        Cell& cell = cells[begin + k];
        if (!must_split(cell, leaf_size)) return;
        cell.child = child;
        make_children(cell, keys, cells);
    }
};

// One element: counts the cells of `levels` levels, below which there must be no further level.
struct CountCells {
    static constexpr const char* name = "resident.count_cells";
    static constexpr Phase phase = Phase::link_tree_cell;
    std::uint64_t levels, room;
    ResidentValues* state = nullptr;
    auto arrays() { return std::tie(state); }
    auto sizes(std::uint64_t elements) const { return array_sizes(levels > most_levels ? no_size : single(elements)); }
    TRELLIS_HOST_DEVICE void operator()(std::size_t) const {
        const std::uint32_t found = state->levels[levels];
        const bool fits = state->levels[levels + 1] == found && found <= room && state->not_finite == 0;
        state->cell_count = fits ? found : 0;
        if (!fits) raise_to(state->lists_invalid, lists_unfinished);
    }
};

template <class T>
struct ValueOfSlot {
    const T* values;
    TRELLIS_HOST_DEVICE const T& operator()(std::uint32_t slot) const { return values[slot]; }
};

// The size of an array for the cells, which is absent before their number is known for the first time; then there are
// no cells.
inline constexpr ArraySize made = ArraySize::if_present(1);

// Finds the contents of a leaf.
struct LeafContents {
    static constexpr const char* name = "resident.leaf_contents";
    static constexpr Phase phase = Phase::calculate_moments;
    const Cell* cells = nullptr;
    const Vec3<double>* positions = nullptr;
    const double* weights = nullptr;
    const ResidentValues* state = nullptr;
    CellContents* contents = nullptr;
    auto arrays() { return std::tie(cells, positions, weights, state, contents); }
    auto sizes(std::uint64_t elements) const { return array_sizes(elements, 1, 1, 1, elements); }
    TRELLIS_HOST_DEVICE void operator()(std::size_t k) const {
        if (k >= state->cell_count) return;
        const Cell cell = cells[k];
        if (!cell.is_leaf()) return;
        contents[k] = contents_of_leaf(cell, ValueOfSlot<Vec3<double>>{positions}, ValueOfSlot<double>{weights});
    }
};

// Finds the contents of cell k of a level from its children's, unless it is a leaf.
struct JoinContents {
    static constexpr const char* name = "resident.join_contents";
    static constexpr Phase phase = Phase::calculate_moments;
    std::uint32_t level;
    const Cell* cells = nullptr;
    const ResidentValues* state = nullptr;
    CellContents* contents = nullptr;
    auto arrays() { return std::tie(cells, state, contents); }
    auto sizes(std::uint64_t elements) const { return array_sizes(elements, level > most_levels ? no_size : 1, made); }
    TRELLIS_HOST_DEVICE void operator()(std::size_t k) const {
        const std::size_t index = state->levels[level] + k;
        if (state->cell_count == 0 || index >= state->levels[level + 1]) return;
        const Cell cell = cells[index];
        if (!cell.is_leaf()) contents[index] = join(contents[cell.child], contents[cell.child + 1]);
    }
};

// Finds the softening of a leaf.
struct LeafSoftenings {
    static constexpr const char* name = "resident.leaf_softenings";
    static constexpr Phase phase = Phase::calculate_moments;
    const Cell* cells = nullptr;
    const double* of_particles = nullptr;
    const double* weights = nullptr;
    const ResidentValues* state = nullptr;
    CellSoftening* softenings = nullptr;
    auto arrays() { return std::tie(cells, of_particles, weights, state, softenings); }
    auto sizes(std::uint64_t elements) const { return array_sizes(elements, 1, 1, 1, elements); }
    TRELLIS_HOST_DEVICE void operator()(std::size_t k) const {
        if (k >= state->cell_count) return;
        const Cell cell = cells[k];
        if (!cell.is_leaf()) return;
        softenings[k] = softening_of_leaf(cell, ValueOfSlot<double>{of_particles}, ValueOfSlot<double>{weights});
    }
};

// Finds the softening of cell k of a level from its children's, unless it is a leaf.
struct JoinSoftenings {
    static constexpr const char* name = "resident.join_softenings";
    static constexpr Phase phase = Phase::calculate_moments;
    std::uint32_t level;
    const Cell* cells = nullptr;
    const CellContents* contents = nullptr;
    const ResidentValues* state = nullptr;
    CellSoftening* softenings = nullptr;
    auto arrays() { return std::tie(cells, contents, state, softenings); }
    auto sizes(std::uint64_t elements) const {
        return array_sizes(elements, made, level > most_levels ? no_size : 1, made);
    }
    TRELLIS_HOST_DEVICE void operator()(std::size_t k) const {
        const std::size_t index = state->levels[level] + k;
        if (state->cell_count == 0 || index >= state->levels[level + 1]) return;
        const Cell cell = cells[index];
        if (cell.is_leaf()) return;
        const std::uint32_t left = cell.child, right = left + 1;
        softenings[index] = join(softenings[left], contents[left].weight, softenings[right], contents[right].weight);
    }
};

// Finds the sizes of cells that lists are made with, and checks that the forces are computed in the suitable precision.
struct MakeSizes {
    static constexpr const char* name = "resident.make_sizes";
    static constexpr Phase phase = Phase::make_interaction_list;
    double theta;
    Precision precision;
    std::uint32_t single;  // 1 if single precision is in use
    const Cell* cells = nullptr;
    const CellContents* contents = nullptr;
    ResidentValues* state = nullptr;
    CellSize* of_cells = nullptr;
    auto arrays() { return std::tie(cells, contents, state, of_cells); }
    auto sizes(std::uint64_t elements) const { return array_sizes(elements, elements, 1, elements); }
    TRELLIS_HOST_DEVICE void operator()(std::size_t k) const {
        if (k >= state->cell_count) return;
        of_cells[k] = size_for_particles(side_of(cells[k], state->root.side), contents[k].sphere.radius, theta);
        if (k > 0) return;
        state->strength = contents[0].weight;
        if (precision == Precision::automatic && in_single_range(state->root.side, state->strength) != (single != 0))
            raise_to(state->lists_invalid, lists_unfinished);
    }
};

using TreeGridKernels = GridKernels<RootCell, MarkSplits, SplitCells, CountCells, LeafContents, JoinContents,
                                    LeafSoftenings, JoinSoftenings, MakeSizes>;

}  // namespace trellis
