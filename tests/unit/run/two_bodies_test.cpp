// The step as a whole, on the orbit of two bodies.
#include "unit/run/two_bodies.hpp"

#include <gtest/gtest.h>

namespace trellis::two_bodies_test {

using namespace fields;

double norm(const Vec3<double>& v) { return std::sqrt(dot(v, v)); }

TEST(TwoBodies, begin_as_they_should) {
    TwoBodies orbit(0.5, 100);
    orbit.simulation->compute_forces();
    EXPECT_NEAR(orbit.energy(), -1.5, 1e-12);  // - G m1 m2 / 2a
    EXPECT_NEAR(norm(orbit.eccentricity()), 0.5, 1e-12);
}

TEST(TwoBodies, come_back_after_a_period) {
    TwoBodies orbit(0.3, 4000);
    const Vec3<double> start = orbit.separation();
    orbit.run_periods(1);
    EXPECT_EQ(orbit.simulation->step_count(), 4000U);
    EXPECT_LT(norm(orbit.separation() - start), 1e-4);
}

TEST(TwoBodies, keep_energy_and_eccentricity_over_many_periods) {
    TwoBodies orbit(0.5, 500);
    orbit.run_periods(20);
    EXPECT_NEAR(orbit.energy(), -1.5, 1e-4);
    EXPECT_NEAR(norm(orbit.eccentricity()), 0.5, 1e-3);
}

TEST(TwoBodies, keep_momenta_to_rounding) {
    TwoBodies orbit(0.7, 300);
    const Vec3<double> spin = angular_momentum(*orbit.particles);
    orbit.run_periods(10);
    EXPECT_LT(norm(momentum(*orbit.particles)), 1e-13);
    EXPECT_LT(norm(angular_momentum(*orbit.particles) - spin), 1e-12);
    EXPECT_LT(norm(centre_of_mass(*orbit.particles)), 1e-13);
}

TEST(TwoBodies, error_falls_with_the_square_of_the_time_step) {
    const auto error = [](int steps) {
        TwoBodies orbit(0.3, steps);
        const Vec3<double> start = orbit.separation();
        orbit.run_periods(1);
        return norm(orbit.separation() - start);
    };
    EXPECT_NEAR(error(400) / error(800), 4, 0.1);
    EXPECT_NEAR(error(800) / error(1600), 4, 0.1);
}

TEST(TwoBodies, run_backwards_when_velocities_are_turned_around) {
    TwoBodies orbit(0.6, 200);
    const Vec3<double> start = orbit.separation();
    orbit.run_periods(0.37);
    for (auto& v : (*orbit.particles)[velocity]) v = -v;
    const double there = orbit.simulation->time();
    EXPECT_GT(norm(orbit.separation() - start), 0.1);
    orbit.simulation->run_until(2 * there);
    EXPECT_LT(norm(orbit.separation() - start), 1e-11);
}

}  // namespace trellis::two_bodies_test
