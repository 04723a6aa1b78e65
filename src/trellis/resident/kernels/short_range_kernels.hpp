// Grid kernels of a force of short range on particles that stay on a device: the table of rows that its lists name, and
// the check whether these lists are still valid, the rule of displacement_check.hpp.
#pragma once

#include <algorithm>
#include <cmath>

#include "trellis/devices/grid_kernel.hpp"
#include "trellis/devices/shared_words.hpp"
#include "trellis/forces/row_layout.hpp"
#include "trellis/forces/short_range/kernels/neighbour_blocks.hpp"
#include "trellis/lists/neighbours/search/displacement_kernel.hpp"
#include "trellis/resident/kernels/state.hpp"

namespace trellis {

// Writes the row of each particle, and behind these the rows of images.
template <class R>
struct NeighbourRows {
    static constexpr const char* name =
        sizeof(R) == 4 ? "resident.neighbour_rows.single" : "resident.neighbour_rows.double";
    static constexpr Phase phase = Phase::copy_all;
    std::uint64_t particles, components;
    Vec3<double> middle;  // positions in rows are relative to it
    const Vec3<double>* positions = nullptr;
    const double* values = nullptr;  // see FinishGrid
    const ImageRow* images = nullptr;
    const Vec3<double>* shifts = nullptr;
    R* rows = nullptr;
    auto arrays() { return std::tie(positions, values, images, shifts, rows); }
    auto sizes(std::uint64_t elements) const {
        if (components < 3 || components > 1024) return array_sizes(no_size, no_size, no_size, no_size, no_size);
        const std::uint64_t images_used = elements > particles ? elements - particles : 0;
        const std::uint64_t slots = images_used > 0 && particles == 0 ? no_size : particles;  // images are of particles
        return array_sizes(slots, size_product(components - 3, slots), images_used,
                           std::min<std::uint64_t>(images_used, 1), size_product(elements, row_stride_of(components)));
    }
    TRELLIS_HOST_DEVICE void operator()(std::size_t k) const {
        std::size_t slot = k;
        Vec3<double> shift{0, 0, 0};
        if (k >= particles) {
            slot = images[k - particles].slot;
            shift = shifts[images[k - particles].image];
        }
        R* row = rows + k * row_stride_of(components);
        write_row_position(positions[slot] + shift - middle, row);
        for (std::size_t c = 3; c < components; ++c)
            row[place_in_row(c)] = static_cast<R>(values[(c - 3) * particles + slot]);
    }
};

// The slots of a block of SearchTree.
struct BlockSlots {
    std::uint32_t first, count;
};

TRELLIS_HOST_DEVICE inline double length_of(const Vec3<double>& v) { return std::sqrt(dot(v, v)); }

// The displacements of the particles of each block since lists were made.
struct MoveBlocks {
    static constexpr const char* name = "resident.move_blocks";
    static constexpr Phase phase = Phase::check_lists;
    std::uint64_t particles;
    const BlockSlots* slots = nullptr;
    const Vec3<double>* now = nullptr;
    const Vec3<double>* then = nullptr;
    Displacements* moved = nullptr;
    auto arrays() { return std::tie(slots, now, then, moved); }
    auto sizes(std::uint64_t elements) const {
        const std::uint64_t used = elements > 0 && particles == 0 ? no_size : particles;  // blocks are of particles
        return array_sizes(elements, used, used, elements);
    }
    TRELLIS_HOST_DEVICE void operator()(std::size_t b) const {
        const std::uint32_t first = slots[b].first, end = first + slots[b].count;
        Extent around{now[first] - then[first], now[first] - then[first]};
        for (std::uint32_t k = first; k < end; ++k) around = join(around, {now[k] - then[k], now[k] - then[k]});
        const Vec3<double> centre = 0.5 * (around.low + around.high);
        double radius = 0;
        for (std::uint32_t k = first; k < end; ++k) radius = std::max(radius, length_of(now[k] - then[k] - centre));
        moved[b] = {centre, radius};
    }
};

// The displacements of the cells of a level, the first of which is `first`: of a leaf by its blocks, else by the level
// below.
struct MoveCells {
    static constexpr const char* name = "resident.move_cells";
    static constexpr Phase phase = Phase::check_lists;
    std::uint64_t first;
    const Cell* cells = nullptr;
    const std::uint32_t* first_block = nullptr;
    const Displacements* of_blocks = nullptr;
    Displacements* of_cells = nullptr;
    auto arrays() { return std::tie(cells, first_block, of_blocks, of_cells); }
    auto sizes(std::uint64_t elements) const {
        const std::uint64_t end = size_sum(first, elements);
        return array_sizes(end, end, 1, end);
    }
    TRELLIS_HOST_DEVICE void operator()(std::size_t k) const {
        const std::size_t index = first + k;
        const Cell cell = cells[index];
        of_cells[index] = cell.is_leaf() ? joined(of_blocks + first_block[index], SearchTree::blocks_of(cell.count))
                                         : joined(of_cells + cell.child, 2);
    }

  private:
    TRELLIS_HOST_DEVICE static Displacements joined(const Displacements* parts, std::uint32_t count) {
        Extent around{parts[0].centre, parts[0].centre};
        for (std::uint32_t k = 1; k < count; ++k) around = join(around, {parts[k].centre, parts[k].centre});
        const Vec3<double> centre = 0.5 * (around.low + around.high);
        double radius = 0;
        for (std::uint32_t k = 0; k < count; ++k)
            radius = std::max(radius, length_of(parts[k].centre - centre) + parts[k].radius);
        return {centre, radius};
    }
};

// An element is a block: notes in the state if one of its particles may have another one, or an image, within the
// cutoff that was beyond the skin.
struct CheckNeighbours {
    static constexpr const char* name = "resident.check_neighbours";
    static constexpr Phase phase = Phase::check_lists;
    static constexpr bool uneven = true;
    double cutoff, skin;   // the latter as a length
    double farthest;       // particles that have moved farther apart may be near other images than the shifts have
    std::uint64_t images;  // the number of shifts, of which the first is zero
    const Cell* cells = nullptr;
    const Zone* zones = nullptr;
    const std::uint32_t* first_block = nullptr;
    const Zone* blocks = nullptr;
    const Vec3<double>* shifts = nullptr;
    const Displacements* of_blocks = nullptr;
    const Displacements* of_cells = nullptr;
    ResidentValues* state = nullptr;
    auto arrays() { return std::tie(cells, zones, first_block, blocks, shifts, of_blocks, of_cells, state); }
    auto sizes(std::uint64_t elements) const { return array_sizes(1, 1, 1, elements, images, elements, 1, 1); }
    TRELLIS_HOST_DEVICE void operator()(std::size_t b) const {
        const double come = nearer(of_blocks[b], of_cells[0]);
        if (come <= skin) return;
        bool any = come > farthest;
        for (std::uint64_t image = 0; image < images && !any; ++image) any = any_near(b, shifts[image], image > 0);
        if (any) raise_to(state->lists_invalid, lists_outgrown);
    }

  private:
    // The largest distance by which a particle of one set may have come nearer to one of the other.
    TRELLIS_HOST_DEVICE static double nearer(const Displacements& a, const Displacements& b) {
        return length_of(a.centre - b.centre) + a.radius + b.radius;
    }
    TRELLIS_HOST_DEVICE bool may_interact(std::size_t b, const Zone& zone, const Displacements& moved_by,
                                          const Vec3<double>& shift) const {
        const double come = nearer(of_blocks[b], moved_by), reach = cutoff + come;
        return come > skin && gap2(blocks[b].bounds, moved(zone.bounds, shift)) < reach * reach;
    }
    TRELLIS_HOST_DEVICE bool any_near(std::size_t b, const Vec3<double>& shift, bool image) const {
        constexpr int most_waiting = 66;  // see each_near_range
        std::uint32_t waiting[most_waiting];
        int count = 0;
        waiting[count++] = 0;
        while (count > 0) {
            const std::uint32_t index = waiting[--count];
            if (!may_interact(b, zones[index], of_cells[index], shift)) continue;
            const Cell cell = cells[index];
            if (!cell.is_leaf()) {
                waiting[count++] = cell.child + 1;
                waiting[count++] = cell.child;
                continue;
            }
            const std::uint32_t first = first_block[index];
            for (std::uint32_t other = first; other < first + SearchTree::blocks_of(cell.count); ++other)
                if ((image || other != b) && may_interact(b, blocks[other], of_blocks[other], shift)) return true;
        }
        return false;
    }
};

// Empties the blocks of lists that are outgrown, so that no time is spent on them before others are sent.
struct DropBlocks {
    static constexpr const char* name = "resident.drop_blocks";
    static constexpr Phase phase = Phase::check_lists;
    const ResidentValues* state = nullptr;
    ListedBlock* blocks = nullptr;
    auto arrays() { return std::tie(state, blocks); }
    auto sizes(std::uint64_t elements) const { return array_sizes(1, elements); }
    TRELLIS_HOST_DEVICE void operator()(std::size_t b) const {
        if (state->lists_invalid != 0) blocks[b].count = blocks[b].masked = 0;
    }
};

// Notes forces that are not finite in the state.
struct FindNotFinite {
    static constexpr const char* name = "resident.find_not_finite";
    static constexpr Phase phase = Phase::copy_forces;
    const Vec3<double>* accelerations = nullptr;
    const double* potentials = nullptr;
    ResidentValues* state = nullptr;
    auto arrays() { return std::tie(accelerations, potentials, state); }
    auto sizes(std::uint64_t elements) const { return array_sizes(elements, elements, 1); }
    TRELLIS_HOST_DEVICE void operator()(std::size_t k) const {
        // x - x is 0 only for a finite x.
        const Vec3<double> nothing = accelerations[k] - accelerations[k];
        if (!(nothing.x + nothing.y + nothing.z + (potentials[k] - potentials[k]) == 0)) raise_to(state->not_finite, 1);
    }
};

using ShortRangeGridKernels = GridKernels<NeighbourRows<float>, NeighbourRows<double>, MoveBlocks, MoveCells,
                                          CheckNeighbours, DropBlocks, FindNotFinite>;

}  // namespace trellis
