// The steps of one system: half a kick, a drift, the forces, half a kick, between two halves of the
// thermostat (the order of run/simulation.cpp). For kernel sources only.
#pragma once

#include <array>
#include <limits>

#include "trellis/ensembles/kernels/container_force.hpp"
#include "trellis/ensembles/kernels/system_bath.hpp"
#include "trellis/ensembles/kernels/system_kernels.hpp"
#include "trellis/ensembles/kernels/system_quench.hpp"
#include "trellis/ensembles/kernels/system_range.hpp"
#include "trellis/integrate/step_rule.hpp"

namespace trellis {
TRELLIS_ISA_BEGIN

// Pairs::run writes the accelerations and returns the potential energy.
template <class Columns, class Pairs>
TRELLIS_HOST_DEVICE void update_forces(const Columns& columns, System& system, Pairs& pairs) {
    system.potential = pairs.run();
    if (system.container.stiffness > 0) system.potential += add_container_force(columns, system);
    system.forces_known = 1;
}

// A step before its forces, and behind them.
template <class Columns>
TRELLIS_HOST_DEVICE void begin_step(const Columns& columns, System& system, const HalfStepBath& bath, double timestep) {
    using namespace system_columns;
    bath.act(columns, system, 2 * system.steps);
    add_times(columns, velocity, acceleration, 0.5 * timestep);
    add_times(columns, position, velocity, timestep);
}
template <class Columns>
TRELLIS_HOST_DEVICE void end_step(const Columns& columns, System& system, const HalfStepBath& bath, double timestep) {
    add_times(columns, system_columns::velocity, system_columns::acceleration, 0.5 * timestep);
    bath.act(columns, system, 2 * system.steps + 1);
}

// True if the next step is too long for a particle (integrate/step_rule.hpp). The sum of all squares is at most the
// largest allowed one in nearly all steps, and quick.
template <class Columns>
TRELLIS_HOST_DEVICE bool is_too_long(const Columns& columns, double timestep, double range) {
    using namespace system_columns;
    const double squares = columns.sum([&](std::size_t k) __attribute__((always_inline)) {
        const auto a = columns.vector(acceleration, k);
        return columns.of_particles(k, a.x * a.x + a.y * a.y + a.z * a.z);
    });
    if (!step_is_too_long(squares, timestep, range)) return false;
    return columns.template sums<1>([&](std::size_t k) -> std::array<double, 1> {
        const Vec3<double> a = columns.particle(acceleration, k);
        return {step_is_too_long(dot(a, a), timestep, range) ? 1.0 : 0.0};
    })[0] > 0;
}

// The time step of the next step; 0 for a system at its minimum, which a quench has found, and for one from the step on
// that was too long: these do not move. range: the distance beyond which particles do not interact, or infinite.
template <class Columns>
TRELLIS_HOST_DEVICE double next_timestep(const Columns& columns, System& system, double range) {
    const double timestep = system.bath == Bath::quench ? quench_step(columns, system) : system.timestep;
    if (system.too_long == 0 && system.bath != Bath::quench && is_too_long(columns, timestep, range))
        system.too_long = system.steps + 1;
    return system.too_long == 0 ? timestep : 0;
}

// Not a number once a step was too long.
TRELLIS_HOST_DEVICE inline double known_potential(const System& system) {
    return system.too_long == 0 ? system.potential : std::numeric_limits<double>::quiet_NaN();
}

template <class Columns>
TRELLIS_HOST_DEVICE SystemEnergies energies_of(const Columns& columns, System& system) {
    return {known_potential(system), kinetic_energy(columns), bath_energy(system)};
}

// NaN if another energy is not finite: the potential energy may be finite then, since particles whose position is NaN
// have no pairs.
TRELLIS_HOST_DEVICE inline float potential_alone(const SystemEnergies& now) {
    const double others = now.kinetic + now.bath;
    return static_cast<float>(now.potential + (others - others));  // 0, or NaN
}

// After each step, after_step() is called, which may change all but the number of steps; after each `every` steps, and
// so after the last, take(energies). range: see next_timestep.
template <class Columns, class Pairs, class AfterStep, class Take>
TRELLIS_HOST_DEVICE void take_steps(const Columns& columns, System& system, Pairs& pairs, const SystemsCall& call,
                                    double range, const AfterStep& after_step, const Take& take) {
    if (system.forces_known == 0) update_forces(columns, system, pairs);
    const HalfStepBath bath(system);
    for (std::uint64_t step = 1; step <= call.steps; ++step) {
        if (const double timestep = next_timestep(columns, system, range); timestep > 0) {
            begin_step(columns, system, bath, timestep);
            update_forces(columns, system, pairs);
            end_step(columns, system, bath, timestep);
        }
        ++system.steps;
        if (system.too_long == 0) after_step();
        if (step % call.every == 0) take(energies_of(columns, system));
    }
}

TRELLIS_ISA_END
}  // namespace trellis
