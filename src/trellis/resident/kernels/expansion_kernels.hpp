// Grid kernels of a resident force with moments: they write what the host's walk and the kernels of device_moments.hpp
// read, and check that the host's lists are still valid.
#pragma once

#include "trellis/devices/grid_kernel.hpp"
#include "trellis/devices/shared_words.hpp"
#include "trellis/forces/row_layout.hpp"
#include "trellis/forces/tree/expansions/cell_unit.hpp"
#include "trellis/forces/tree/kernels/device_far_field.hpp"
#include "trellis/forces/tree/kernels/device_moments.hpp"
#include "trellis/lists/walk/opening.hpp"
#include "trellis/lists/walk/walk_table.hpp"
#include "trellis/resident/kernels/state.hpp"
#include "trellis/tree/contents.hpp"
#include "trellis/tree/softening.hpp"

namespace trellis {

// The range of the errors that the particles of a leaf tolerate. share: the error allowed to each particle, over its
// last acceleration and the coupling.
struct LeafTolerances {
    static constexpr const char* name = "resident.leaf_tolerances";
    static constexpr Phase phase = Phase::make_interaction_list;
    double share;
    const Cell* cells = nullptr;
    const Vec3<double>* accelerations = nullptr;
    ToleranceRange* tolerances = nullptr;
    auto arrays() { return std::tie(cells, accelerations, tolerances); }
    auto sizes(std::uint64_t elements) const { return array_sizes(elements, 1, elements); }
    TRELLIS_HOST_DEVICE void operator()(std::size_t k) const {
        const Cell cell = cells[k];
        if (!cell.is_leaf()) return;
        ToleranceRange range{any_error, 0};
        for (std::uint32_t slot = cell.first; slot < cell.end(); ++slot) {
            const Vec3<double> a = accelerations[slot];
            const double tolerance = share * std::sqrt(dot(a, a));
            range = {std::min(range.smallest, tolerance), std::max(range.largest, tolerance)};
        }
        tolerances[k] = range;
    }
};

// The same for cell first + k of a level from its children's, unless it is a leaf.
struct JoinTolerances {
    static constexpr const char* name = "resident.join_tolerances";
    static constexpr Phase phase = Phase::make_interaction_list;
    std::uint32_t first;
    const Cell* cells = nullptr;
    ToleranceRange* tolerances = nullptr;
    auto arrays() { return std::tie(cells, tolerances); }
    auto sizes(std::uint64_t elements) const {
        return array_sizes(size_sum(first, elements), size_sum(first, elements));
    }
    TRELLIS_HOST_DEVICE void operator()(std::size_t k) const {
        const Cell cell = cells[first + k];
        if (cell.is_leaf()) return;
        const ToleranceRange left = tolerances[cell.child], right = tolerances[cell.child + 1];
        tolerances[first + k] = {std::min(left.smallest, right.smallest), std::max(left.largest, right.largest)};
    }
};

// Writes the contents of a cell apart, as the host's walk reads them.
struct SplitContents {
    static constexpr const char* name = "resident.split_contents";
    static constexpr Phase phase = Phase::make_interaction_list;
    const CellContents* contents = nullptr;
    Sphere* spheres = nullptr;
    Bounds* bounds = nullptr;
    double* weights = nullptr;
    auto arrays() { return std::tie(contents, spheres, bounds, weights); }
    auto sizes(std::uint64_t elements) const { return array_sizes(elements, elements, elements, elements); }
    TRELLIS_HOST_DEVICE void operator()(std::size_t k) const {
        spheres[k] = contents[k].sphere;
        bounds[k] = contents[k].bounds;
        weights[k] = contents[k].weight;
    }
};

// Writes the frames (device_moments.hpp) of the children of a cell, and that of the root.
template <class R>
struct CellFrames {
    static constexpr const char* name = sizeof(R) == 4 ? "resident.cell_frames.single" : "resident.cell_frames.double";
    static constexpr Phase phase = Phase::calculate_moments;
    const Cell* cells = nullptr;
    const CellContents* contents = nullptr;
    const CellSoftening* softenings = nullptr;  // null if they do not differ
    const ResidentValues* state = nullptr;
    R* frames = nullptr;
    auto arrays() { return std::tie(cells, contents, softenings, state, frames); }
    auto sizes(std::uint64_t elements) const {
        return array_sizes(elements, elements, ArraySize::if_present(elements), 1,
                           size_product(elements, frame_values));
    }
    TRELLIS_HOST_DEVICE void operator()(std::size_t k) const {
        const double unit = unit_of(k, state->root.side);
        if (k == 0) write(0, unit);
        const std::uint32_t child = cells[k].child;
        if (cells[k].is_leaf()) return;
        write(child, unit_of(child, unit));
        write(child + 1, unit_of(child + 1, unit));
    }
    TRELLIS_HOST_DEVICE double unit_of(std::size_t cell, double around) const {
        return unit_of_cell(contents[cell].sphere.radius, side_of(cells[cell], state->root.side), around);
    }
    TRELLIS_HOST_DEVICE void write(std::size_t cell, double unit) const {
        R* frame = frames + cell * frame_values;
        write_row_position(contents[cell].sphere.centre - state->root.low, frame);
        frame[frame_unit] = static_cast<R>(unit);
        frame[frame_widening] = static_cast<R>(softenings == nullptr ? 0 : widening_of(softenings[cell].mean));
    }
};

// The opening criterion for cells on lists that the host has made (see opening.hpp and recheck.hpp).
struct ListedOpening {
    Opening opening;    // for sizes over distances that have grown as much as they may
    double more_error;  // factor by which a greater error is allowed
    const CellContents* contents = nullptr;
    const CellSoftening* softenings = nullptr;   // null if they do not differ
    const ToleranceRange* tolerances = nullptr;  // null: any error is allowed

    TRELLIS_HOST_DEVICE double variation(std::uint32_t cell) const {
        return softenings != nullptr ? softenings[cell].variation() : 0;
    }
    TRELLIS_HOST_DEVICE double tolerance(std::uint32_t target) const {
        return tolerances != nullptr ? more_error * tolerances[target].smallest : any_error;
    }
    // True if a cell may act on the local expansion of a target.
    TRELLIS_HOST_DEVICE bool by_cell(std::uint32_t cell, std::uint32_t target) const {
        const Sphere from = contents[cell].sphere, to = contents[target].sphere;
        const Vec3<double> apart = from.centre - to.centre;
        const double distance2 = dot(apart, apart);
        if (!acceptable(from.radius + to.radius, distance2, contents[cell].weight, variation(cell), opening,
                        opening.order, tolerance(target)))
            return false;
        return !opening.softenings_differ() || 1.5 * variation(target) <= opening.softening_error * distance2;
    }
    // True if a cell of this size may act on the particles of a target one by one.
    TRELLIS_HOST_DEVICE bool by_particle(std::uint32_t cell, double size, std::uint32_t target) const {
        return acceptable(size, nearest_distance2(contents[target].bounds, contents[cell].sphere.centre),
                          contents[cell].weight, variation(cell), opening, opening.order + 1, tolerance(target));
    }
};

// Records that the lists are outgrown if a cell on the list of target t would no longer be accepted for it.
struct CheckTargets {
    static constexpr const char* name = "resident.check_targets";
    static constexpr Phase phase = Phase::check_lists;
    static constexpr bool uneven = true;
    ListedOpening by;
    const FarTarget* targets = nullptr;
    const std::uint32_t* lists = nullptr;
    ResidentValues* state = nullptr;
    auto arrays() { return std::tie(by.contents, by.softenings, by.tolerances, targets, lists, state); }
    auto sizes(std::uint64_t elements) const {
        const ArraySize present = ArraySize::if_present(1);
        return array_sizes(1, present, present, elements, present, 1);
    }
    TRELLIS_HOST_DEVICE void operator()(std::size_t t) const {
        const FarTarget target = targets[t];
        for (std::uint32_t k = target.first_cell; k < target.first_cell + target.cell_count; ++k)
            if (!by.by_cell(lists[k], target.cell)) return raise_to(state->lists_invalid, lists_outgrown);
    }
};

// The same for the cells that act on the particles of group g one by one.
struct CheckGroups {
    static constexpr const char* name = "resident.check_groups";
    static constexpr Phase phase = Phase::check_lists;
    static constexpr bool uneven = true;
    ListedOpening by;
    const CellSize* of_cells = nullptr;  // null: the radii
    const FarGroup* groups = nullptr;
    const std::uint32_t* lists = nullptr;
    ResidentValues* state = nullptr;
    auto arrays() { return std::tie(by.contents, by.softenings, by.tolerances, of_cells, groups, lists, state); }
    auto sizes(std::uint64_t elements) const {
        const ArraySize present = ArraySize::if_present(1);
        return array_sizes(1, present, present, present, elements, present, 1);
    }
    TRELLIS_HOST_DEVICE double size(std::uint32_t cell) const {
        const double radius = by.contents[cell].sphere.radius;
        return of_cells != nullptr ? of_cells[cell].now(radius) : radius;
    }
    TRELLIS_HOST_DEVICE void operator()(std::size_t g) const {
        const FarGroup group = groups[g];
        for (std::uint32_t k = group.first_cell; k < group.first_cell + group.cell_count; ++k)
            if (!by.by_particle(lists[k], size(lists[k]), group.cell))
                return raise_to(state->lists_invalid, lists_outgrown);
    }
};

using ExpansionGridKernels = GridKernels<LeafTolerances, JoinTolerances, SplitContents, CellFrames<float>,
                                         CellFrames<double>, CheckTargets, CheckGroups>;

}  // namespace trellis
