// Particles in a periodic cube: at random, clustered, and a displaced grid, whose forces nearly cancel.
#pragma once

#include <string>

#include "unit/forces/tree/compared_force.hpp"
#include "unit/particle_models.hpp"

namespace trellis {

inline constexpr double box_side = 2;
inline const Region unit_box{{-1, 0, 1}, {-1 + box_side, box_side, 1 + box_side}};

// The positions of a grid in the unit cube.
inline Vec3<double> grid_place(std::size_t row, std::size_t along) {
    const auto number = [&](std::size_t k) {
        return (static_cast<double>(k % along) + 0.5) / static_cast<double>(along);
    };
    return {number(row), number(row / along), number(row / along / along)};
}

inline ParticleSet in_box(const std::string& model, std::size_t along) {
    models::Random random(4);
    const std::size_t size = along * along * along;
    std::vector<Vec3<double>> clumps;
    for (int k = 0; k < 8; ++k) clumps.push_back(random.in_cube());
    const auto place = [&](std::size_t row) -> Vec3<double> {
        if (model == "random" || (model == "clustered" && row % 4 == 0)) return random.in_cube();
        if (model == "clustered")
            return clumps[row % clumps.size()] + 0.02 * std::pow(random.uniform(0.01, 1), -0.7) * random.direction();
        Vec3<double> at = grid_place(row, along);
        if (model == "lattice") return at;
        const double wave = 0.15 / static_cast<double>(along);
        for (std::size_t axis = 0; axis < 3; ++axis)
            at[axis] += wave * std::sin(2 * std::numbers::pi * (at[axis] + 2 * at[(axis + 1) % 3])) +
                        0.3 * wave * random.uniform(-1, 1);
        return at;
    };
    ParticleSet particles =
        models::particles_at(size, 4, [&](std::size_t row) { return unit_box.low + box_side * place(row); });
    if (model == "lattice" || model == "grid")
        for (double& m : particles[mass]) m = 1.0 / static_cast<double>(size);
    particles.set_region(unit_box);
    particles.wrap_positions();
    return particles;
}

// The error of the accelerations of some rows, and of all of their potentials, over the root mean square.
struct NetErrors {
    double acceleration = 0, potential = 0;
    double net = 0;  // root mean square of the exact accelerations
};
inline NetErrors net_errors(const Force& force, const ParticleSet& particles) {
    NetErrors errors;
    double potentials = 0, count = 0;
    for (std::uint32_t row = 0; row < particles.size(); row += static_cast<std::uint32_t>(particles.size() / 60 + 1)) {
        const Exact exact = exact_force(force, particles, row);
        const Vec3<double> wrong = particles[acceleration][row] - exact.acceleration;
        errors.acceleration += dot(wrong, wrong);
        errors.net += dot(exact.acceleration, exact.acceleration);
        errors.potential += std::pow(particles[potential][row] - exact.potential, 2);
        potentials += std::pow(exact.potential, 2);
        ++count;
    }
    return {std::sqrt(errors.acceleration / errors.net), std::sqrt(errors.potential / potentials),
            std::sqrt(errors.net / count)};
}

}  // namespace trellis
