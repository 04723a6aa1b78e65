// Pairs of particles of a system that count by a factor: they are left out of the tiles of all pairs, and computed
// beside them, a pair in each lane. For kernel sources only.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "trellis/base/workspace.hpp"
#include "trellis/ensembles/kernels/system_columns.hpp"
#include "trellis/ensembles/kernels/tile_rows.hpp"

namespace trellis {
TRELLIS_ISA_BEGIN

template <class I>
class ScaledPairs {
  public:
    using Rows = TileRows<I>;
    using R = typename Rows::R;
    static constexpr std::size_t width = Rows::width;

    // members: both particles of each pair in turn. columns_of: see TilePairs.
    ScaledPairs(const I& interaction, const System& system, const SystemColumns& columns,
                const std::uint32_t* columns_of, std::vector<std::uint32_t> members, std::span<const double> factors)
        : interaction_(interaction),
          system_(system),
          columns_(columns),
          columns_of_(columns_of),
          members_(std::move(members)),
          factors_(factors) {
        if (factors_.empty()) return;
        const Rows rows(interaction_, system_);
        const std::size_t block = rows.components() * Rows::pitch, sums = rows.sums() * width;
        space_.start(2 * Workspace::bytes_of<R>(block) + 2 * Workspace::bytes_of<R>(sums) +
                     Workspace::bytes_of<R>(width * width));
        for (Side& side : sides_) {
            side.block = space_.take<R>(block);
            side.sums = space_.take<R>(sums);
            std::fill_n(side.block, block, R{0});  // open lanes
        }
        mask_ = space_.take<R>(width * width);
    }

    // Adds to the accelerations, and returns the potential energy.
    double add_forces() const {
        double energy = 0;
        if (factors_.empty()) return energy;
        const Rows rows(interaction_, system_);
        for (std::size_t first = 0; first < factors_.size(); first += width) energy += add_tile(rows, first);
        return energy;
    }

  private:
    struct Side {
        R *block = nullptr, *sums = nullptr;
    };

    // The particle on a side of the pair in a lane; open lanes have the last pair.
    std::size_t member(std::size_t first, std::size_t lane, std::size_t side) const {
        return members_[2 * std::min(first + lane, factors_.size() - 1) + side];
    }

    // The value of a component of a particle, positions relative to the reference.
    double value(std::size_t c, std::size_t particle) const {
        const double* const values = columns_[columns_of_[c]];
        if (c >= 3) return values[particle];
        const double d = values[particle] - values[system_.reference], side = system_.box[c];
        return side > 0 ? d - side * std::nearbyint(d / side) : d;
    }

    // In turn 0 each lane has its pair; no pair of another turn counts, so that these are skipped.
    double add_tile(const Rows& rows, std::size_t first) const {
        const std::size_t count = std::min(width, factors_.size() - first);
        std::fill_n(mask_, width * width, R{0});
        std::fill_n(mask_, count, R{1});
        for (std::size_t k = 0; k < 2; ++k) {
            for (std::size_t c = 0; c < rows.components(); ++c)
                for (std::size_t lane = 0; lane < count; ++lane) {
                    R* const twice = sides_[k].block + c * Rows::pitch + lane;
                    twice[0] = twice[width] = static_cast<R>(value(c, member(first, lane, k)));
                }
            std::fill_n(sides_[k].sums, rows.sums() * width, R{0});
        }
        const BlockSums of_one{sides_[0].sums, width}, of_other{sides_[1].sums, width};
        if (system_.box[0] > 0 || system_.box[1] > 0 || system_.box[2] > 0)
            rows.template tile<true, true, true>(sides_[0].block, sides_[1].block, {mask_, width}, of_one, of_other);
        else
            rows.template tile<false, true, true>(sides_[0].block, sides_[1].block, {mask_, width}, of_one, of_other);
        return finish(rows, first, count, 0) + finish(rows, first, count, 1);
    }

    double finish(const Rows& rows, std::size_t first, std::size_t count, std::size_t side) const {
        using namespace system_columns;
        double outcome[4][width], energy = 0;  // acceleration, potential
        rows.finish(
            [&](std::size_t c, std::size_t lane) { return columns_[columns_of_[c]][member(first, lane, side)]; },
            {sides_[side].sums, width}, outcome);
        for (std::size_t lane = 0; lane < count; ++lane) {
            const double factor = factors_[first + lane];
            const std::size_t k = member(first, lane, side);
            const Vec3<double> a{outcome[0][lane], outcome[1][lane], outcome[2][lane]};
            columns_.set(acceleration, k, columns_.particle(acceleration, k) + factor * a);
            energy += 0.5 * factor * columns_[mass][k] * outcome[3][lane];
        }
        return energy;
    }

    const I& interaction_;
    const System& system_;
    const SystemColumns columns_;
    const std::uint32_t* columns_of_;
    const std::vector<std::uint32_t> members_;
    std::span<const double> factors_;
    Workspace space_;
    Side sides_[2];
    R* mask_ = nullptr;
};

TRELLIS_ISA_END
}  // namespace trellis
