// The forces among the particles of a system, by tiles (tile_rows.hpp): all pairs of a small one; in a larger one with
// a cutoff, pairs of blocks of neighbours (block_order.hpp), or of lists (block_lists.hpp). For kernel sources only.
//
// Order and lists are a function of the positions for which they were made, which are part of the state: forces have
// the same bits wherever a call begins.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "trellis/base/workspace.hpp"
#include "trellis/ensembles/kernels/listed_tiles.hpp"
#include "trellis/ensembles/kernels/system_columns.hpp"
#include "trellis/ensembles/kernels/system_kernels.hpp"
#include "trellis/ensembles/kernels/tile_rows.hpp"

namespace trellis {
TRELLIS_ISA_BEGIN

// A vector of single precision with as many values as one of double precision.
using SinglesOfDoubles [[gnu::vector_size(lanes<double> * sizeof(float))]] = float;

template <class I>
class TilePairs {
  public:
    using Rows = TileRows<I>;
    using R = typename Rows::R;
    static constexpr std::size_t width = Rows::width;
    // least_ordered: the number of particles from which on neighbours are in blocks; with more lanes few rows are
    // empty. loosening: blocks are made again once a particle has moved by this share of the cutoff.
    static constexpr std::size_t least_ordered = width <= 8 ? 128 : least_listed;
    static constexpr double loosening = 0.2;

    // columns_of[c]: the component of the system's columns that is component c of the fields. excluded: the particles
    // of each excluded pair in turn, which must stay.
    TilePairs(const I& interaction, const System& system, const SystemColumns& columns, const std::uint32_t* columns_of,
              Workspace& workspace, std::span<const std::uint32_t> excluded = {})
        : rows_(interaction, system),
          system_(system),
          columns_(columns),
          blocks_((system.count + width - 1) / width),
          ordered_(has_cutoff(interaction) && system.count >= least_ordered),
          listed_(has_cutoff(interaction) && system.count >= least_listed),
          excluded_(excluded) {
        const std::size_t slots = blocks_ * width;
        workspace.start(Workspace::bytes_of<R>(2 * slots * rows_.components()) +
                        Workspace::bytes_of<R>(slots * rows_.sums()) + Workspace::bytes_of<double>(slots) +
                        (listed_ ? ListedTiles<I>::bytes(rows_, blocks_) : 0));
        for (std::size_t c = 0; c < rows_.components(); ++c) source_[c] = columns[columns_of[c]];
        staged_ = workspace.take<R>(2 * slots * rows_.components());
        sums_ = workspace.take<R>(slots * rows_.sums());
        gathered_ = workspace.take<double>(slots);
        if (listed_) tiles_.take(rows_, workspace, blocks_);
        if (ordered_) {
            if (system.forces_known != 0) make_lists();  // lists of the call before
        } else {
            stage_fields();
            make_masks();
        }
    }

    // Writes the accelerations, and returns the potential energy.
    double run() {
        if (ordered_ && (!tiles_.lists().made() || moved_too_far())) renew_lists();
        for (std::size_t axis = 0; axis < 3; ++axis) stage_positions(axis, source_[axis]);
        std::fill_n(sums_, blocks_ * width * rows_.sums(), R{0});
        if (system_.box[0] > 0 || system_.box[1] > 0 || system_.box[2] > 0)
            all_tiles<true>();
        else
            all_tiles<false>();
        return ordered_ ? finish<true>() : finish<false>();
    }

    // Called when the system has another box, with new positions and forces.
    void box_has_changed() {
        rows_.set_box(system_);
        if (ordered_) make_lists();  // lists for these forces
    }

  private:
    const R* staged(std::size_t b) const { return staged_ + Rows::pitch * rows_.components() * b; }
    BlockSums sums_of(std::size_t b) const { return {sums_ + b * width, blocks_ * width}; }
    // The particle in a slot.
    std::size_t particle(std::size_t slot) const { return ordered_ ? tiles_.lists().order()[slot] : slot; }

    // Values of the particles in the order of slots.
    const double* in_order(const double* values) const {
        if (!ordered_) return values;
        for (std::size_t slot = 0; slot < blocks_ * width; ++slot) gathered_[slot] = values[particle(slot)];
        return gathered_;
    }

    template <class Change>
    [[gnu::always_inline]] void stage(std::size_t c, const double* values, Change&& change) {
        values = in_order(values);
        for (std::size_t b = 0; b < blocks_; ++b) {
            R* const twice = staged_ + Rows::pitch * (rows_.components() * b + c);
            for (std::size_t lane = 0; lane < width; lane += lanes<double>) {
                const Vector<double> value = change(load_unaligned(values + b * width + lane));
                const SinglesOfDoubles single = __builtin_convertvector(value, SinglesOfDoubles);
                __builtin_memcpy(twice + lane, &single, sizeof(single));
                __builtin_memcpy(twice + width + lane, &single, sizeof(single));
            }
        }
    }

    // Positions relative to a particle amid the others, in a box of the nearest image: small numbers lose little when
    // they are rounded.
    void stage_positions(std::size_t axis, const double* values) {
        const double origin = values[system_.reference], side = system_.box[axis];
        if (side > 0)
            stage(axis, values, [=](const Vector<double>& x) __attribute__((always_inline)) {
                const Vector<double> d = x - origin;
                return d - side * rounded(d * (1 / side));
            });
        else
            stage(axis, values, [=](const Vector<double>& x) __attribute__((always_inline)) { return x - origin; });
    }

    void stage_fields() {
        for (std::size_t c = 3; c < rows_.components(); ++c)
            stage(c, source_[c], [](const auto& values) { return values; });
    }

    void renew_lists() {
        for (std::size_t axis = 0; axis < 3; ++axis)
            std::copy_n(source_[axis], system_.slots, columns_[system_columns::listed + axis]);
        make_lists();
    }

    // Makes lists from the positions in the columns `listed`.
    void make_lists() {
        std::vector<Placed> particles(system_.count);
        for (std::size_t k = 0; k < particles.size(); ++k) {
            particles[k].number = static_cast<std::uint32_t>(k);
            for (std::size_t axis = 0; axis < 3; ++axis) {
                const double* x = columns_[system_columns::listed + axis];
                const double side = system_.box[axis], d = x[k] - x[system_.reference];
                particles[k].x[axis] = static_cast<float>(side > 0 ? d - side * std::nearbyint(d / side) : d);
            }
        }
        tiles_.make_lists(rows_, particles);
        stage_fields();
        make_masks();
    }

    std::size_t particles_in(std::size_t block) const { return std::min(width, system_.count - block * width); }

    // Excludes the pairs in the order of slots.
    void make_masks() {
        if (excluded_.empty()) return;
        masks_.start(blocks_);
        std::vector<std::size_t> slot_of(system_.count);
        for (std::size_t slot = 0; slot < slot_of.size(); ++slot) slot_of[particle(slot)] = slot;
        for (std::size_t k = 0; k < excluded_.size(); k += 2) {
            const auto [slot, later] = std::minmax({slot_of[excluded_[k]], slot_of[excluded_[k + 1]]});
            const std::size_t a = slot / width, b = later / width;
            if (a == b)
                masks_.exclude_own(a, slot % width, later % width, particles_in(a));
            else if (listed_)
                tiles_.exclude(a, slot, later, masks_);
            else
                masks_.exclude(a, b, slot % width, later % width, particles_in(b));
        }
    }

    // True if a particle has moved by half of the skin since lists were made, with a margin for rounding; if there is
    // an order without lists, by the share `loosening` of the cutoff.
    bool moved_too_far() const {
        const double most = (listed_ ? 0.499 * skin_of_lists : loosening) * range_of(rows_.interaction());
        Batch<double> farthest(0.0);
        columns_.each([&](std::size_t k) __attribute__((always_inline)) {
            Batch<double> d2(0.0);
            for (std::size_t axis = 0; axis < 3; ++axis) {
                const Batch<double> moved =
                    load_unaligned(source_[axis] + k) - load_unaligned(columns_[system_columns::listed + axis] + k);
                d2 += moved * moved;
            }
            farthest = max(farthest, d2);
        });
        return !all_of(farthest <= Batch<double>(most * most));
    }

    template <bool Periodic>
    void all_tiles() {
        for (std::size_t a = 0; a < blocks_; ++a) {
            const PairMask own = masks_.own(a, particles_in(a));
            if (own.first == nullptr)
                rows_.template own_tile<Periodic, false>(staged(a), own, sums_of(a));
            else
                rows_.template own_tile<Periodic, true>(staged(a), own, sums_of(a));
            if (listed_) {
                tiles_.template add_pairs<Periodic>(rows_, masks_, a, staged_, sums_);
                continue;
            }
            if (ordered_)
                later_tiles<Periodic, true>(a);
            else
                later_tiles<Periodic, false>(a);
        }
    }

    // Block a with all blocks behind it.
    template <bool Periodic, bool Sparse>
    void later_tiles(std::size_t a) {
        for (std::size_t b = a + 1; b < blocks_; ++b) {
            const PairMask mask = masks_.tile(a, b, particles_in(b));
            if (mask.first == nullptr)
                rows_.template tile<Periodic, false, Sparse>(staged(a), staged(b), mask, sums_of(a), sums_of(b));
            else
                rows_.template tile<Periodic, true, Sparse>(staged(a), staged(b), mask, sums_of(a), sums_of(b));
        }
    }

    template <bool Ordered>
    double finish() {
        using namespace system_columns;
        double energy = 0;
        double outcome[4][width];  // acceleration, energy
        for (std::size_t b = 0; b < blocks_; ++b) {
            finish_block<Ordered>(b * width, outcome);
            const std::size_t count = std::min<std::size_t>(width, system_.count - b * width);
            for (std::size_t lane = 0; lane < count; ++lane) {
                const std::size_t k = Ordered ? particle(b * width + lane) : b * width + lane;
                columns_.set(acceleration, k, {outcome[0][lane], outcome[1][lane], outcome[2][lane]});
                energy += outcome[3][lane];
            }
        }
        return energy;
    }

    template <bool Ordered>
    void finish_block(std::size_t first, double (&outcome)[4][width]) const {
        const double* const mass = columns_[system_columns::mass];
        const auto number = [&](std::size_t lane) { return Ordered ? particle(first + lane) : first + lane; };
        rows_.finish([&](std::size_t c, std::size_t lane) { return source_[c][number(lane)]; }, sums_of(first / width),
                     outcome);
        for (std::size_t lane = 0; lane < width; ++lane) outcome[3][lane] = 0.5 * mass[number(lane)] * outcome[3][lane];
    }

    TileRows<I> rows_;
    const System& system_;
    const SystemColumns& columns_;
    std::size_t blocks_;
    bool ordered_, listed_;
    std::span<const std::uint32_t> excluded_;
    TileMasks<width> masks_;
    ListedTiles<I> tiles_;
    const double* source_[most_components];  // values of each component in the system's columns
    R *staged_, *sums_;
    double* gathered_;
};

TRELLIS_ISA_END
}  // namespace trellis
