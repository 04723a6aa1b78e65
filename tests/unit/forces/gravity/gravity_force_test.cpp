#include "trellis/forces/gravity/gravity_force.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "trellis/forces/allowed_steps.hpp"
#include "trellis/run/simulation.hpp"

namespace trellis::gravity_force_test {

using namespace fields;

// The step allowed to two bodies of mass 1 at a distance of 4.
double step_allowed(double softening) {
    auto pair = std::make_shared<ParticleSet>(2);
    (*pair)[position][1] = {4, 0, 0};
    for (double& m : (*pair)[mass]) m = 1;
    const std::shared_ptr<Force> force = gravity(softening);
    Simulation sim(pair, 1);
    sim.add_force(force);
    sim.compute_forces();
    return allowed_step({{force}}, *pair, 0);
}

TEST(GravityForce, allows_a_step_in_which_what_rests_falls_a_fortieth_of_the_softening_length) {
    const double a = 4 / std::pow(16 + 0.25, 1.5), step = step_allowed(0.5);
    EXPECT_NEAR(0.5 * a * step * step, 0.5 / 40, 1e-4 * 0.5 / 40);
}

TEST(GravityForce, without_softening_allows_any_step) {
    EXPECT_EQ(step_allowed(0), std::numeric_limits<double>::infinity());
}

// Only in expanding space is a time a scale factor, by which softenings may be held.
TEST(GravityForce, is_the_same_before_the_time_zero) {
    const auto acceleration_at = [](double time) {
        auto pair = std::make_shared<ParticleSet>(2);
        (*pair)[position][1] = {4, 0, 0};
        for (double& m : (*pair)[mass]) m = 1;
        Simulation sim(pair, 1);
        sim.set_time(time);
        sim.add_force(gravity(0.5));
        sim.compute_forces();
        return (*pair)[acceleration][0].x;
    };
    EXPECT_NEAR(acceleration_at(-1), 4 / std::pow(16 + 0.25, 1.5), 1e-6);
    EXPECT_EQ(acceleration_at(-1), acceleration_at(0));
}

}  // namespace trellis::gravity_force_test
