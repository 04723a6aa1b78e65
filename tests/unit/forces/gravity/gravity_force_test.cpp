#include "trellis/forces/gravity/gravity_force.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "trellis/run/simulation.hpp"

namespace trellis::gravity_force_test {

using namespace fields;

// The longest step for two bodies of mass 1 at a distance of 4.
double longest_step(double softening) {
    auto pair = std::make_shared<ParticleSet>(2);
    (*pair)[position][1] = {4, 0, 0};
    for (double& m : (*pair)[mass]) m = 1;
    const std::shared_ptr<Force> force = gravity(softening);
    Simulation sim(pair, 1);
    sim.add_force(force);
    sim.compute_forces();
    return force->longest_step(*pair);
}

TEST(GravityForce, allows_a_step_in_which_what_rests_falls_a_fortieth_of_the_softening_length) {
    const double a = 4 / std::pow(16 + 0.25, 1.5), step = longest_step(0.5);
    EXPECT_NEAR(0.5 * a * step * step, 0.5 / 40, 1e-4 * 0.5 / 40);
}

TEST(GravityForce, without_softening_allows_any_step) {
    EXPECT_EQ(longest_step(0), std::numeric_limits<double>::infinity());
}

}  // namespace trellis::gravity_force_test
