// Constant pressure: after each so many steps, the volume of a system may change, with all positions scaled alike
// (Monte Carlo moves; McDonald 1972). Velocities stay. For kernel sources only.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "trellis/base/philox.hpp"
#include "trellis/base/workspace.hpp"
#include "trellis/ensembles/kernels/system_copy.hpp"
#include "trellis/ensembles/kernels/system_kernels.hpp"
#include "trellis/ensembles/kernels/system_steps.hpp"
#include "trellis/ensembles/kernels/tile_pairs.hpp"
#include "trellis/ensembles/kernels/volume_rule.hpp"

namespace trellis {
TRELLIS_ISA_BEGIN

inline double volume_of(const System& system) { return system.box[0] * system.box[1] * system.box[2]; }

// Not a number once a box would have become too small: what comes then is not of the pressure.
inline double known_volume(const System& system) {
    return system.barostat.too_small == 0 ? volume_of(system) : std::numeric_limits<double>::quiet_NaN();
}

// The random numbers of a move depend on seed and step alone: how far it goes, of [-1, 1), and whether it is made, of
// [0, 1).
struct VolumeDraw {
    double move, chance;

    explicit VolumeDraw(const System& system) {
        const auto low = [](std::uint64_t bits) { return static_cast<std::uint32_t>(bits); };
        const auto high = [](std::uint64_t bits) { return static_cast<std::uint32_t>(bits >> 32); };
        const std::uint64_t seed = system.barostat.seed;
        const auto words =
            philox({low(system.steps), high(system.steps), 0, domain_of_volumes}, {low(seed), high(seed)});
        const auto uniform = [&](std::size_t k) {
            return 0x1p-53 * static_cast<double>((std::uint64_t{words[k]} << 32 | words[k + 1]) >> 11);
        };
        move = 2 * uniform(0) - 1;
        chance = uniform(2);
    }
};

template <class I>
class VolumeMoves {
  public:
    // workspace: not that of the pairs of the system.
    VolumeMoves(const I& interaction, const SystemsCall& call, Workspace& workspace)
        : interaction_(interaction), call_(call), workspace_(workspace), shortest_side_(call.shortest_side) {
        if constexpr (ShortRange<I>)
            shortest_side_ = std::max(shortest_side_, 2 * static_cast<double>(interaction.cutoff));
    }

    // After a step. pairs: of the system, which know the new box then. The bath books the energy of a move.
    void after_step(const SystemColumns& columns, System& system, TilePairs<I>& pairs) {
        Barostat& barostat = system.barostat;
        if (barostat.every == 0 || system.steps % barostat.every != 0) return;
        const VolumeDraw draw(system);
        const double move = draw.move * barostat.longest_move;
        ++barostat.tried;
        SystemCopy trial(columns, system, call_.columns);
        scale(trial, std::exp(move / 3));
        const Vec3<double>& box = trial.system.box;
        if (std::min({box[0], box[1], box[2]}) < shortest_side_) {
            barostat.too_small = 1;
            return;
        }
        trial.system.forces_known = 0;
        TilePairs<I> pairs_there(interaction_, trial.system, trial.columns, call_.columns_of, workspace_);
        update_forces(trial.columns, trial.system, pairs_there);
        const VolumeMove made{move, volume_of(trial.system) - volume_of(system),
                              trial.system.potential - system.potential};
        if (!volume_accepted(system, made, draw.chance)) return;
        ++barostat.accepted;
        take_over(columns, system, trial);
        system.bath_energy -= made.energy;
        pairs.box_has_changed();
    }

  private:
    static void scale(SystemCopy& trial, double factor) {
        trial.system.box *= factor;
        for (std::size_t axis = 0; axis < 3; ++axis) {
            double* x = trial.columns[system_columns::position + axis];
            for (std::size_t k = 0; k < trial.system.slots; ++k) x[k] *= factor;
        }
    }

    static void take_over(const SystemColumns& columns, System& system, const SystemCopy& trial) {
        for (std::size_t c = 0; c < system_columns::changing; ++c)
            std::copy_n(trial.columns[c], system.slots, columns[c]);
        system.box = trial.system.box;
        system.potential = trial.system.potential;
    }

    const I& interaction_;
    const SystemsCall& call_;
    Workspace& workspace_;
    double shortest_side_;
};

TRELLIS_ISA_END
}  // namespace trellis
