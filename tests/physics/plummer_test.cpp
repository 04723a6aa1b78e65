// A Plummer sphere in equilibrium stays in equilibrium.
#include <gtest/gtest.h>

#include <algorithm>

#include "physics/conserved.hpp"
#include "unit/particle_models.hpp"

namespace trellis {

using namespace fields;

namespace {

// Scale radius, mass and G are 1. Velocities after Aarseth, Henon & Wielen (1974).
std::shared_ptr<ParticleSet> equilibrium(std::size_t size) {
    auto particles = std::make_shared<ParticleSet>(models::plummer(size, 3));
    models::Random random(4);
    for (std::size_t row = 0; row < size; ++row) {
        (*particles)[mass][row] = 1.0 / static_cast<double>(size);
        const Vec3<double> x = (*particles)[position][row];
        double share = 0;  // speed over the escape speed
        while (random.uniform(0, 0.1) > share * share * std::pow(1 - share * share, 3.5)) share = random.uniform(0, 1);
        (*particles)[velocity][row] = share * std::sqrt(2.0) * std::pow(1 + dot(x, x), -0.25) * random.direction();
    }
    at_rest_in_the_origin(*particles);
    return particles;
}

double radius_of_share(const ParticleSet& particles, double share) {
    std::vector<double> radii;
    for (const auto& x : particles[position]) radii.push_back(std::sqrt(dot(x, x)));
    std::ranges::sort(radii);
    return radii[static_cast<std::size_t>(share * static_cast<double>(radii.size()))];
}

TEST(Plummer, stays_in_equilibrium_for_three_crossing_times) {
    constexpr double crossing_time = 6.3;  // G M^(5/2) / (2 |E|)^(3/2)
    const auto particles = equilibrium(2000);
    Simulation sim(particles, 0.03);
    sim.add_force(gravity(0.05, 1, {.accuracy = 1e-3}));
    sim.compute_forces();
    const Conserved start(*particles);
    const std::array<double, 3> shares{0.1, 0.5, 0.9};
    std::vector<double> radii;
    for (const double share : shares) radii.push_back(radius_of_share(*particles, share));
    EXPECT_NEAR(start.energy, -3 * std::numbers::pi / 64, 0.01);
    for (int crossing = 1; crossing <= 3; ++crossing) {
        SCOPED_TRACE(testing::Message() << "after crossing time " << crossing);
        sim.run_until(crossing * crossing_time);
        EXPECT_NEAR(-2 * kinetic_energy(*particles) / potential_energy(*particles), 1, 0.05);
        for (std::size_t k = 0; k < shares.size(); ++k)
            EXPECT_NEAR(radius_of_share(*particles, shares[k]) / radii[k], 1, 0.12) << "share " << shares[k];
        expect_conserved(start, *particles, 1e-4, 3e-4);
    }
}

}  // namespace
}  // namespace trellis
