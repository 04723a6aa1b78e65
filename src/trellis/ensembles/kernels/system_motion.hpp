// Motion of the particles of a system: kicks, drifts, factors. For kernel sources only.
#pragma once

#include <cstddef>

#include "trellis/base/isa.hpp"
#include "trellis/base/vec.hpp"
#include "trellis/ensembles/kernels/system.hpp"

namespace trellis {
TRELLIS_ISA_BEGIN

// Open slots have no velocity.
template <class Columns>
TRELLIS_HOST_DEVICE double kinetic_energy(const Columns& columns) {
    return 0.5 * columns.sum([&](std::size_t k) __attribute__((always_inline)) {
        const auto v = columns.vector(system_columns::velocity, k);
        return columns.value(system_columns::mass, k) * (v.x * v.x + v.y * v.y + v.z * v.z);
    });
}

// Multiplies all velocities by this factor.
template <class Columns>
TRELLIS_HOST_DEVICE void scale_velocities(const Columns& columns, double factor) {
    for (std::size_t c = system_columns::velocity; c < system_columns::velocity + 3; ++c)
        columns.each([&](std::size_t k)
                         __attribute__((always_inline)) { columns.put(c, k, factor * columns.value(c, k)); });
}

// The motion relative to the centre of mass, see integrate/thermostats/own_motion.hpp.
struct SystemMotion {
    Vec3<double> drift;
    double kinetic;
};
template <class Columns>
TRELLIS_HOST_DEVICE SystemMotion own_motion(const Columns& columns) {
    using namespace system_columns;
    const auto all = [&](const auto& of) { return columns.sum(of); };
    const double total = all([&](std::size_t k) __attribute__((always_inline)) { return columns.value(mass, k); });
    SystemMotion motion{};
    for (std::size_t axis = 0; axis < 3; ++axis)
        motion.drift[axis] = all([&](std::size_t k) __attribute__((always_inline)) {
                                 return columns.value(mass, k) * columns.value(velocity + axis, k);
                             }) /
                             total;
    const double kinetic = kinetic_energy(columns) - 0.5 * total * dot(motion.drift, motion.drift);
    motion.kinetic = kinetic < 0 ? 0 : kinetic;
    return motion;
}

// Multiplies the velocities relative to the drift by this factor.
template <class Columns>
TRELLIS_HOST_DEVICE void scale_own_motion(const Columns& columns, const Vec3<double>& drift, double factor) {
    for (std::size_t axis = 0; axis < 3; ++axis)
        columns.each([&](std::size_t k) __attribute__((always_inline)) {
            const auto v = columns.value(system_columns::velocity + axis, k);
            columns.put(system_columns::velocity + axis, k,
                        columns.of_particles(k, drift[axis] + factor * (v - drift[axis])));
        });
}

// column[component of `into` + axis] += time * column[component of `of` + axis], for all slots
template <class Columns>
TRELLIS_HOST_DEVICE void add_times(const Columns& columns, std::size_t into, std::size_t of, double time) {
    for (std::size_t axis = 0; axis < 3; ++axis)
        columns.each([&](std::size_t k) __attribute__((always_inline)) {
            columns.put(into + axis, k, columns.value(into + axis, k) + time * columns.value(of + axis, k));
        });
}

TRELLIS_ISA_END
}  // namespace trellis
