// Accelerations of a force that a device computes.
#pragma once

#include <algorithm>
#include <vector>

#include "unit/forces/tree/compared_force.hpp"

namespace trellis {

using Accelerations = std::vector<Vec3<double>>;

inline Accelerations accelerations(Force& force, ParticleSet& particles) {
    compute(force, particles);
    return {particles[acceleration].begin(), particles[acceleration].end()};
}

// The accelerations at positions that may have moved, with reused lists.
inline Accelerations reused(Force& force, ParticleSet& particles) {
    std::ranges::fill(particles[acceleration], Vec3<double>{0, 0, 0});
    std::ranges::fill(particles[potential], 0.0);
    Phases phases;
    force.dispatch(particles, {{}, true}, phases);
    force.retrieve(particles, phases);
    return {particles[acceleration].begin(), particles[acceleration].end()};
}

// The largest difference over the largest acceleration of b: in some models forces on a particle cancel.
inline double largest_difference(const Accelerations& a, const Accelerations& b) {
    double difference = 0, largest = 1e-300;
    for (std::size_t row = 0; row < a.size(); ++row) {
        difference = std::max(difference, norm(a[row] - b[row]));
        largest = std::max(largest, norm(b[row]));
    }
    return difference / largest;
}

}  // namespace trellis
