// The quench of a system: downhill to a minimum of its potential energy nearby, by FIRE, the fast inertial relaxation
// engine (Bitzek et al. 2006, with the constants and the step back of Guénolé et al. 2020). For kernel sources only.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>

#include "trellis/ensembles/kernels/system_motion.hpp"

namespace trellis {
TRELLIS_ISA_BEGIN

// The sum over all particles of mass times the product of two of their vectors. Open slots have no mass.
template <class Columns>
TRELLIS_HOST_DEVICE double product_by_mass(const Columns& columns, std::size_t a, std::size_t b) {
    return columns.sum([&](std::size_t k) __attribute__((always_inline)) {
        typename Columns::Value product = {};
        for (std::size_t axis = 0; axis < 3; ++axis) product += columns.value(a + axis, k) * columns.value(b + axis, k);
        return columns.value(system_columns::mass, k) * product;
    });
}

// Maxima over all particles.
struct Largest {
    double force = 0, acceleration = 0, speed = 0;
};

template <class Columns>
TRELLIS_HOST_DEVICE Largest largest_of(const Columns& columns) {
    using Three = std::array<double, 3>;
    const Three squares = columns.template largest<3>([&](std::size_t k) -> Three {
        const Vec3<double> a = columns.particle(system_columns::acceleration, k);
        const Vec3<double> v = columns.particle(system_columns::velocity, k);
        const double m = columns[system_columns::mass][k];
        return {m * m * dot(a, a), dot(a, a), dot(v, v)};
    });
    return {std::sqrt(squares[0]), std::sqrt(squares[1]), std::sqrt(squares[2])};
}

// Before a step, with known forces: velocities turn towards the forces as long as these do work; else the system goes
// half a step back, and the velocities are set to 0. Sets the time step, which grows on the way down, and is 0 at the
// minimum, where velocities are 0.
template <class Columns>
TRELLIS_HOST_DEVICE void turn_downhill(const Columns& columns, System& system, double largest_force) {
    using namespace system_columns;
    constexpr double mixing = 0.25, less_mixing = 0.99, faster = 1.1, slower = 0.5, longest = 10, shortest = 0.02;
    constexpr std::uint64_t before_faster = 20;
    Quench& quench = system.quench;
    const auto begin = [&](double timestep) {
        quench = {quench.tolerance, quench.longest_move, timestep, mixing, 0};
        scale_velocities(columns, 0);
    };
    if (largest_force <= quench.tolerance) return begin(0);
    if (quench.timestep == 0) return begin(system.timestep);
    const double power = product_by_mass(columns, velocity, acceleration);
    if (!(power > 0)) {
        add_times(columns, position, velocity, -0.5 * quench.timestep);
        return begin(std::max(slower * quench.timestep, shortest * system.timestep));
    }
    if (++quench.downhill > before_faster) {
        quench.timestep = std::min(faster * quench.timestep, longest * system.timestep);
        quench.mixing *= less_mixing;
    }
    const double turned = quench.mixing * std::sqrt(product_by_mass(columns, velocity, velocity) /
                                                    product_by_mass(columns, acceleration, acceleration));
    scale_velocities(columns, 1 - quench.mixing);
    add_times(columns, velocity, acceleration, turned);
}

// Turns the velocities, and returns the next time step: short enough that no particle moves further than allowed.
template <class Columns>
TRELLIS_HOST_DEVICE double quench_step(const Columns& columns, System& system) {
    turn_downhill(columns, system, largest_of(columns).force);
    const Largest largest = largest_of(columns);
    Quench& quench = system.quench;
    quench.timestep = std::min({quench.timestep, 0.5 * quench.longest_move / largest.speed,
                                std::sqrt(quench.longest_move / largest.acceleration)});
    return quench.timestep;
}

TRELLIS_ISA_END
}  // namespace trellis
