// The columns of one system, among those of all systems of a device. For kernel sources only.
#pragma once

#include <cstddef>
#include <cstdint>

#include "trellis/base/batch.hpp"
#include "trellis/ensembles/kernels/system.hpp"

namespace trellis {
TRELLIS_ISA_BEGIN

struct SystemColumns {
    double* values;  // of the first slot of the system
    std::size_t stride;
    const std::uint64_t* ids;

    SystemColumns(double* columns, const std::uint64_t* all_ids, std::size_t stride, const System& system)
        : values(columns + system.first), stride(stride), ids(all_ids + system.first) {}

    double* operator[](std::size_t component) const { return values + component * stride; }
    Vec3<double> vector(std::size_t component, std::size_t k) const {
        return {(*this)[component][k], (*this)[component + 1][k], (*this)[component + 2][k]};
    }
    void set(std::size_t component, std::size_t k, const Vec3<double>& value) const {
        for (std::size_t axis = 0; axis < 3; ++axis) (*this)[component + axis][k] = value[axis];
    }
};

// Calls body(k) for the first slot of each vector of doubles.
template <class Body>
[[gnu::always_inline]] inline void over_vectors(std::size_t slots, Body&& body) {
    for (std::size_t k = 0; k < slots; k += lanes<double>) body(k);
}

// The sum of value(k), a vector for the slots from k on, over all slots: by 8 partial sums, so that all instruction
// sets add in one order.
template <class Value>
[[gnu::always_inline]] inline double sum_over_slots(std::size_t slots, Value&& value) {
    constexpr std::size_t parts = 8 / lanes<double>;
    Vector<double> partial[parts] = {};
    for (std::size_t k = 0; k < slots; k += 8)
        for (std::size_t part = 0; part < parts; ++part) partial[part] += value(k + part * lanes<double>);
    double single[8], sum = 0;
    for (std::size_t part = 0; part < parts; ++part)
        store_unaligned<double>(partial[part], single + part * lanes<double>);
    for (const double one : single) sum += one;
    return sum;
}

// The kinetic energy. Open slots have no velocity.
inline double kinetic_energy(const SystemColumns& columns, const System& system) {
    const double* mass = columns[system_columns::mass];
    const double* x = columns[system_columns::velocity];
    const double* y = columns[system_columns::velocity + 1];
    const double* z = columns[system_columns::velocity + 2];
    return 0.5 * sum_over_slots(system.slots, [&](std::size_t k) __attribute__((always_inline)) {
               const auto vx = load_unaligned(x + k), vy = load_unaligned(y + k), vz = load_unaligned(z + k);
               return load_unaligned(mass + k) * (vx * vx + vy * vy + vz * vz);
           });
}

// All velocities times this factor.
inline void scale_velocities(const SystemColumns& columns, const System& system, double factor) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
        double* v = columns[system_columns::velocity + axis];
        over_vectors(system.slots,
                     [&](std::size_t k) { store_unaligned<double>(factor * load_unaligned(v + k), v + k); });
    }
}

// column[component of `into` + axis] += time * column[component of `of` + axis], for all slots
inline void add_times(const SystemColumns& columns, const System& system, std::size_t into, std::size_t of,
                      double time) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
        double* value = columns[into + axis];
        const double* rate = columns[of + axis];
        over_vectors(system.slots, [&](std::size_t k) __attribute__((always_inline)) {
            store_unaligned<double>(load_unaligned(value + k) + time * load_unaligned(rate + k), value + k);
        });
    }
}

TRELLIS_ISA_END
}  // namespace trellis
