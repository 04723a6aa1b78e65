// Atoms of two kinds on a disturbed lattice, hot, with a face of the box at 0; and the difference of two sets.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>

#include "trellis/forces/short_range.hpp"
#include "unit/particle_models.hpp"

namespace trellis {

using namespace fields;

// The box is periodic along the first `axes` axes.
inline ParticleSet fluid(std::size_t size, int axes) {
    constexpr double spacing = 1.1;
    ParticleSet atoms(size);
    const auto along = static_cast<std::size_t>(std::ceil(std::cbrt(static_cast<double>(size)) - 1e-9));
    const auto kinds = atoms.add(particle_kind);
    models::Random random(3);
    for (std::size_t row = 0; row < size; ++row) {
        const std::array cell{row % along, row / along % along, row / along / along};
        for (std::size_t axis = 0; axis < 3; ++axis)
            atoms[position][row][axis] = spacing * (static_cast<double>(cell[axis]) + random.uniform(0.05, 0.15));
        atoms[velocity][row] = random.uniform(1, 4) * random.direction();
        atoms[mass][row] = random.uniform(1, 2);
        kinds[row] = static_cast<double>(row % 2);
    }
    Region region;
    for (std::size_t axis = 0; axis < static_cast<std::size_t>(axes); ++axis) {
        region.low[axis] = 0;
        region.high[axis] = spacing * static_cast<double>(along);
    }
    atoms.set_region(region);
    return atoms;
}

inline double magnitude(const Vec3<double>& v) { return std::sqrt(dot(v, v)); }

// The largest difference of positions, velocities and results of the same rows.
inline double difference_by_row(const ParticleSet& a, const ParticleSet& b) {
    double largest = 0;
    for (std::size_t row = 0; row < a.size(); ++row)
        largest = std::max(
            {largest, magnitude(a[position][row] - b[position][row]), magnitude(a[velocity][row] - b[velocity][row]),
             magnitude(a[acceleration][row] - b[acceleration][row]), std::abs(a[potential][row] - b[potential][row]),
             std::abs(a[virial][row] - b[virial][row])});
    return largest;
}

}  // namespace trellis
