// Constant pressure: after each barostat.every steps, the volume of a system may change, with all positions scaled by
// one factor (Monte Carlo moves; McDonald 1972). Velocities do not change. For kernel sources only.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include "trellis/ensembles/kernels/system_kernels.hpp"
#include "trellis/ensembles/kernels/system_steps.hpp"
#include "trellis/integrate/barostats/volume_rule.hpp"

namespace trellis {
TRELLIS_ISA_BEGIN

TRELLIS_HOST_DEVICE inline double volume_of(const System& system) {
    return system.box[0] * system.box[1] * system.box[2];
}

// NaN once a box would have become too small: later volumes do not belong to the pressure.
TRELLIS_HOST_DEVICE inline double known_volume(const System& system) {
    return system.too_small == 0 ? volume_of(system) : std::numeric_limits<double>::quiet_NaN();
}

// The lower limit of a side: of all interactions of a call, or of this one.
template <class I>
TRELLIS_HOST_DEVICE double shortest_side(const I& interaction, const SystemsCall& call) {
    return has_cutoff(interaction) ? std::max(call.shortest_side, 2 * range_of(interaction)) : call.shortest_side;
}

template <class Columns>
TRELLIS_HOST_DEVICE void scale_positions(const Columns& columns, System& system, double factor) {
    system.box *= factor;
    for (std::size_t c = system_columns::position; c < system_columns::position + 3; ++c)
        columns.each([&](std::size_t k)
                         __attribute__((always_inline)) { columns.put(c, k, factor * columns.value(c, k)); });
}

template <class Columns, class Trial>
TRELLIS_HOST_DEVICE void take_over(const Columns& columns, System& system, const Trial& trial) {
    for (std::size_t c = 0; c < system_columns::changing; ++c)
        columns.each([&](std::size_t k)
                         __attribute__((always_inline)) { columns.put(c, k, trial.columns.value(c, k)); });
    system.box = trial.system.box;
    system.potential = trial.system.potential;
}

// True if the volume may change after this step.
TRELLIS_HOST_DEVICE inline bool volume_is_due(const System& system) {
    return system.barostat.every > 0 && system.steps % system.barostat.every == 0;
}

// Scales a trial, a copy of the system, whose forces are then unknown. Returns false if its box would become too small.
template <class Columns>
TRELLIS_HOST_DEVICE bool propose_volume(System& system, const Columns& trial_columns, System& trial, double move,
                                        double shortest) {
    ++system.barostat.tried;
    scale_positions(trial_columns, trial, std::exp(move / 3));
    if (trial.box[0] < shortest || trial.box[1] < shortest || trial.box[2] < shortest) {
        system.too_small = 1;
        return false;
    }
    trial.forces_known = 0;
    return true;
}

// The system becomes the trial, whose forces are known, if the move is accepted; its energy is added to the bath's
// account. Returns whether it is.
template <class Columns, class Trial>
TRELLIS_HOST_DEVICE bool decide_volume(const Columns& columns, System& system, const Trial& trial,
                                       const VolumeDraw& draw) {
    const VolumeMove made{draw.move, volume_of(trial.system) - volume_of(system),
                          trial.system.potential - system.potential};
    if (!volume_accepted(system.barostat, system.count, system.temperature, made, draw.chance)) return false;
    ++system.barostat.accepted;
    take_over(columns, system, trial);
    system.bath_energy -= made.energy;
    return true;
}

// Called after a step. pairs: of the system, which are notified of a new box; trial_of(): a copy of the system;
// pairs_of(system, columns): the pairs of that copy.
template <class Columns, class Pairs, class TrialOf, class PairsOf>
TRELLIS_HOST_DEVICE void move_volume(const Columns& columns, System& system, Pairs& pairs, double shortest,
                                     const TrialOf& trial_of, const PairsOf& pairs_of) {
    if (!volume_is_due(system)) return;
    const VolumeDraw draw(system.barostat, system.steps);
    auto trial = trial_of();
    if (!propose_volume(system, trial.columns, trial.system, draw.move, shortest)) return;
    auto pairs_there = pairs_of(trial.system, trial.columns);
    update_forces(trial.columns, trial.system, pairs_there);
    if (decide_volume(columns, system, trial, draw)) pairs.box_has_changed();
}

TRELLIS_ISA_END
}  // namespace trellis
