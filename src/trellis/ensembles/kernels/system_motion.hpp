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
