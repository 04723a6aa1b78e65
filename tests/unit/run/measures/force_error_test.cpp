#include "trellis/run/measures/force_error.hpp"

#include <gtest/gtest.h>

#include "trellis/forces/gravity/gravity_force.hpp"
#include "trellis/run/simulation.hpp"
#include "unit/particle_models.hpp"

namespace trellis::force_error_test {

using namespace fields;

std::unique_ptr<Simulation> simulation(const ForceSettings& settings) {
    auto sim = std::make_unique<Simulation>(std::make_shared<ParticleSet>(models::plummer(1000, 1)), 0.01);
    sim->add_force(gravity(0.05, 1, settings));
    return sim;
}

TEST(ForceError, of_direct_summation_is_rounding) {
    const ForceError error = simulation({.theta = 1e-9, .precision = Precision::double_})->force_error(200, 1);
    EXPECT_GT(error.maximum, 0);
    EXPECT_LT(error.maximum, 1e-12);
}

TEST(ForceError, grows_with_theta) {
    const double narrow = simulation({.theta = 0.3, .method = Method::tree})->force_error(200, 1).rms;
    const double wide = simulation({.theta = 0.9, .method = Method::tree})->force_error(200, 1).rms;
    EXPECT_GT(wide, 3 * narrow);
    EXPECT_GT(narrow, 1e-6);
}

// Accelerations are made wrong on purpose, by row % 100 percent.
TEST(ForceError, is_the_distribution_of_what_is_wrong) {
    const auto sim = simulation({.theta = 1e-9, .precision = Precision::double_});
    sim->compute_forces();
    ParticleSet& particles = sim->particles();
    for (std::size_t row = 0; row < particles.size(); ++row)
        particles[acceleration][row] *= 1 + 0.01 * static_cast<double>(row % 100);
    const ForceError error = measure_force_error(*serial_comm(), particles, sim->forces(), 0, 1000, 7);
    EXPECT_NEAR(error.median, 0.5, 0.011);
    EXPECT_NEAR(error.percentile_99, 0.98, 0.011);
    EXPECT_NEAR(error.maximum, 0.99, 1e-6);
    EXPECT_NEAR(error.rms, 0.573, 1e-3);  // sqrt of the mean of k^2 / 10^4, k = 0 ... 99
}

TEST(ForceError, takes_the_sample_that_the_seed_says) {
    const auto sim = simulation({.theta = 0.7});
    const double first = sim->force_error(100, 1).rms;
    EXPECT_EQ(sim->force_error(100, 1).rms, first);
    EXPECT_NE(sim->force_error(100, 2).rms, first);
}

TEST(ForceError, compares_no_more_particles_than_there_are) {
    const auto sim = simulation({.theta = 0.7});
    EXPECT_EQ(sim->force_error(1000, 1).maximum, sim->force_error(100'000, 2).maximum);
    EXPECT_EQ(sim->force_error(0, 1).maximum, 0);
}

}  // namespace trellis::force_error_test
