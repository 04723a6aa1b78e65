// A cold uniform sphere collapses, bounces and settles: the paper's problem, with few particles.
#include <gtest/gtest.h>

#include <algorithm>

#include "physics/conserved.hpp"
#include "unit/particle_models.hpp"

namespace trellis {

using namespace fields;

namespace {

std::shared_ptr<ParticleSet> cold_sphere(std::size_t size) {
    auto particles = std::make_shared<ParticleSet>(models::uniform_sphere(size, 3));
    for (double& m : (*particles)[mass]) m = 1.0 / static_cast<double>(size);
    at_rest_in_the_origin(*particles);
    return particles;
}

double half_mass_radius(const ParticleSet& particles) {
    std::vector<double> radii;
    for (const auto& x : particles[position]) radii.push_back(std::sqrt(dot(x, x)));
    std::ranges::nth_element(radii, radii.begin() + static_cast<std::ptrdiff_t>(radii.size() / 2));
    return radii[radii.size() / 2];
}

TEST(ColdCollapse, keeps_energy_and_momenta_through_the_bounce) {
    const double free_fall = std::numbers::pi / std::sqrt(8.0);
    const auto particles = cold_sphere(3000);
    // The error of leapfrog itself at the bounce goes with the square of the step: 1.5e-3 at 0.001, whatever the
    // forces.
    Simulation sim(particles, 0.0006);
    sim.add_force(gravity(0.05, 1, {.accuracy = 1e-3}));
    sim.compute_forces();
    const Conserved start(*particles);
    EXPECT_NEAR(start.energy, -0.6, 0.02);
    const double before = half_mass_radius(*particles);

    sim.run_until(free_fall / 2);
    EXPECT_NEAR(half_mass_radius(*particles) / before, 0.85, 0.03) << "half way";  // the sphere shrinks homologously
    double smallest = before;
    while (sim.time() < 2 * free_fall) {
        sim.step();
        smallest = std::min(smallest, half_mass_radius(*particles));
        ASSERT_NO_FATAL_FAILURE(expect_conserved(start, *particles, 1e-3, 1e-3));
    }
    EXPECT_LT(smallest, 0.25 * before) << "no collapse";
    EXPECT_GT(half_mass_radius(*particles), 1.3 * smallest) << "no bounce";
    EXPECT_LT(sim.force_error(200, 1).rms, 3e-3);
}

}  // namespace
}  // namespace trellis
