// Two bodies that start at their largest distance: the orbit whose every property is known.
#pragma once

#include <cmath>
#include <memory>
#include <numbers>

#include "trellis/forces/gravity/gravity_force.hpp"
#include "trellis/run/measures/diagnostics.hpp"
#include "trellis/run/simulation.hpp"

namespace trellis {

using namespace fields;

// Masses 1 and 3 on a relative orbit of semi-major axis 1, G = 1.
struct TwoBodies {
    static constexpr double masses = 4;
    static constexpr double period = std::numbers::pi;  // 2 pi sqrt(a^3 / (G M))

    explicit TwoBodies(double eccentricity, int steps_a_period) : particles(std::make_shared<ParticleSet>(2)) {
        const double distance = 1 + eccentricity;
        const double speed = std::sqrt(masses * (1 - eccentricity) / (1 + eccentricity));
        ParticleSet& p = *particles;
        p[mass][0] = 1;
        p[mass][1] = 3;
        p[position][0] = {0.75 * distance, 0, 0};
        p[position][1] = {-0.25 * distance, 0, 0};
        p[velocity][0] = {0, 0.75 * speed, 0};
        p[velocity][1] = {0, -0.25 * speed, 0};
        simulation = std::make_unique<Simulation>(particles, period / steps_a_period);
        simulation->add_force(gravity(0, 1, {.precision = Precision::double_}));
    }

    void run_periods(double periods) { simulation->run_until(periods * period); }

    // The position of the body of mass 1 relative to the one of mass 3, wherever their rows are.
    Vec3<double> separation() const { return difference(position); }
    Vec3<double> relative_velocity() const { return difference(velocity); }
    double energy() const { return kinetic_energy(*particles) + potential_energy(*particles); }
    // The Laplace-Runge-Lenz vector over G M: points to the pericentre, as long as the eccentricity.
    Vec3<double> eccentricity() const {
        const Vec3<double> r = separation(), v = relative_velocity();
        return cross(v, cross(r, v)) / masses - r / std::sqrt(dot(r, r));
    }

    std::shared_ptr<ParticleSet> particles;
    std::unique_ptr<Simulation> simulation;

  private:
    template <class F>
    Vec3<double> difference(F field) const {
        const auto values = std::as_const(*particles)[field];
        const std::size_t light = std::as_const(*particles)[id][0] == 0 ? 0 : 1;
        return values[light] - values[1 - light];
    }
};

}  // namespace trellis
