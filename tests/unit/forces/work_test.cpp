// The work that a force counts.
#include <gtest/gtest.h>

#include "trellis/forces/gravity/gravity_force.hpp"
#include "trellis/run/simulation.hpp"
#include "unit/particle_models.hpp"

namespace trellis::work_test {

constexpr std::size_t size = 2000;

Work work_of(const ForceSettings& settings) {
    Simulation sim(std::make_shared<ParticleSet>(models::plummer(size, 1)), 1);
    sim.add_force(gravity(0.01, 1, settings));
    sim.compute_forces();
    return sim.work();
}

TEST(Work, of_monopoles_is_pairs_alone) {
    const Work work = work_of({.theta = 0.7, .method = Method::tree, .order = 1});
    EXPECT_GT(work.pairs, 0U);
    EXPECT_EQ(work.multipoles, 0U);
    EXPECT_EQ(work.cost, static_cast<double>(work.pairs));
}

TEST(Work, of_quadrupoles_is_the_same_pairs_and_five_more_for_each_that_has_moments) {
    const Work monopoles = work_of({.theta = 0.7, .method = Method::tree, .order = 1});
    const Work work = work_of({.theta = 0.7, .method = Method::tree, .order = 2});
    EXPECT_EQ(work.pairs, monopoles.pairs);
    EXPECT_GT(work.multipoles, 0U);
    EXPECT_LT(work.multipoles, work.pairs);
    EXPECT_EQ(work.cost, static_cast<double>(work.pairs + 5 * work.multipoles));
}

TEST(Work, of_particles_that_all_act_one_by_one_has_no_multipoles) {
    const Work work =
        work_of({.theta = 0.7, .method = Method::tree, .order = 2, .group_size = size, .leaf_size = size});
    EXPECT_GE(work.pairs, size * (size - 1));
    EXPECT_EQ(work.multipoles, 0U);
}

}  // namespace trellis::work_test
