// Computes a force, and compares it with direct summation.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "trellis/forces/force.hpp"

namespace trellis {

using namespace fields;

inline double norm(const Vec3<double>& v) { return std::sqrt(dot(v, v)); }

// Sets the result columns to the force at the present positions; computes it twice if the force uses previous
// accelerations.
inline Work compute(Force& force, ParticleSet& particles) {
    Phases phases;
    Work work;
    std::vector<double> previous;
    force.attach(particles, 0);
    for (int pass = 0; pass < (force.uses_previous_acceleration() ? 2 : 1); ++pass) {
        if (pass > 0)
            for (const auto& a : particles[acceleration]) previous.push_back(norm(a));
        for (const FieldInfo& field : force.results())
            std::fill_n(particles.column(field.name).values(), particles.size() * field.components, 0.0);
        force.dispatch(particles, {previous}, phases);
        work = force.retrieve(particles, phases);
    }
    return work;
}

// Acceleration and potential of a row by direct summation, for forces whose results begin with these.
struct Exact {
    Vec3<double> acceleration;
    double potential;
};
inline Exact exact_force(const Force& force, const ParticleSet& particles, std::uint32_t row) {
    double values[4];
    force.reference(particles, particles, row, row, 0, values);
    return {{values[0], values[1], values[2]}, values[3]};
}

// Relative errors, root mean square over about 300 rows; worst: the largest of the acceleration.
struct Errors {
    double acceleration, potential, worst;
};
inline Errors errors_of(const Force& force, const ParticleSet& particles) {
    const auto step = static_cast<std::uint32_t>(particles.size() / 300 + 1);
    double squares = 0, potential_squares = 0, count = 0, worst = 0;
    for (std::uint32_t row = 0; row < particles.size(); row += step, ++count) {
        const Exact exact = exact_force(force, particles, row);
        const double wrong = norm(particles[acceleration][row] - exact.acceleration) / norm(exact.acceleration);
        squares += wrong * wrong;
        potential_squares += std::pow((particles[potential][row] - exact.potential) / exact.potential, 2);
        worst = std::max(worst, wrong);
    }
    return {std::sqrt(squares / count), std::sqrt(potential_squares / count), worst};
}

inline Errors computed_errors(Force& force, ParticleSet particles) {
    compute(force, particles);
    return errors_of(force, particles);
}

}  // namespace trellis
