// Trees and lists that serve several steps.
#include <gtest/gtest.h>

#include <algorithm>

#include "trellis/forces/gravity/gravity_force.hpp"
#include "unit/error_message.hpp"
#include "unit/forces/tree/compared_force.hpp"
#include "unit/particle_models.hpp"

namespace trellis::reuse_test {

using namespace fields;

constexpr double softening = 0.05;

class Reuse : public testing::TestWithParam<Method> {
  protected:
    static ForceSettings settings(double growth = 0.1) {
        return {.theta = 0.6, .method = GetParam(), .lists = Lists::reuse, .reuse_steps = 8, .opening_growth = growth};
    }

    // Computes the force after a step, with the lists reused if still valid.
    static void step(Force& force, ParticleSet& particles) {
        for (const FieldInfo& field : force.results())
            std::fill_n(particles.column(field.name).values(), particles.size() * field.components, 0.0);
        Phases phases;
        force.dispatch(particles, {{}, true}, phases);
        force.retrieve(particles, phases);
    }
};

TEST_P(Reuse, equals_rebuild_bit_for_bit_when_nothing_has_moved) {
    ParticleSet particles = models::clustered(3000, 1);
    const auto force = gravity(softening, 1, settings(0));
    compute(*force, particles);
    const std::vector<Vec3<double>> rebuilt(particles[acceleration].begin(), particles[acceleration].end());
    step(*force, particles);
    EXPECT_EQ(force->list_use().reuses, 1U);
    EXPECT_TRUE(std::ranges::equal(particles[acceleration], rebuilt));
}

// Lists for one step are made branch by branch with their forces.
TEST_P(Reuse, lists_that_are_not_kept_give_the_same_bits) {
    for (const Region& region : {Region{}, Region{{-1, -1, -1}, {1, 1, 1}}}) {
        ParticleSet particles = models::uniform_cube(3000, 1);
        for (auto& x : particles[position]) x = region.wrapped(x);
        particles.set_region(region);
        const auto keeping = gravity(softening, 1, settings(0));
        compute(*keeping, particles);
        const std::vector<Vec3<double>> kept(particles[acceleration].begin(), particles[acceleration].end());
        ForceSettings for_one_step = settings(0);
        for_one_step.lists = Lists::rebuild;
        const auto dropping = gravity(softening, 1, for_one_step);
        compute(*dropping, particles);
        EXPECT_TRUE(std::ranges::equal(particles[acceleration], kept));
        EXPECT_LT(dropping->lists().bytes(), keeping->lists().bytes() / 2);
    }
}

TEST_P(Reuse, sees_where_particles_have_moved_to) {
    ParticleSet particles = models::plummer(3000, 1);
    const auto force = gravity(softening, 1, settings(0.5));
    compute(*force, particles);
    models::Random random(5);
    for (auto& x : particles[position]) x = 0.9 * x + 1e-4 * random.direction();
    step(*force, particles);
    ASSERT_EQ(force->list_use().reuses, 1U);
    const double error = errors_of(*force, particles).acceleration;
    ParticleSet again = models::plummer(3000, 1);
    std::ranges::copy(particles[position], again[position].begin());
    const double rebuilt = computed_errors(*gravity(softening, 1, settings()), std::move(again)).acceleration;
    EXPECT_LT(error, 1.2 * rebuilt);
}

TEST_P(Reuse, ends_early_when_particles_have_moved_too_far) {
    ParticleSet particles = models::plummer(2000, 1);
    const auto force = gravity(softening, 1, settings());
    compute(*force, particles);
    for (auto& x : particles[position]) x.z *= 0.5;
    step(*force, particles);
    EXPECT_EQ(force->list_use().early, 1U);
    EXPECT_EQ(force->list_use().constructions, 2U);
    EXPECT_EQ(force->list_use().reuses, 0U);
}

TEST_P(Reuse, goes_on_regardless_when_the_step_count_is_trusted) {
    ParticleSet particles = models::plummer(2000, 1);
    ForceSettings trusting = settings();
    trusting.trust_reuse_steps = true;
    const auto force = gravity(softening, 1, trusting);
    compute(*force, particles);
    for (auto& x : particles[position]) x.z *= 0.5;
    step(*force, particles);
    EXPECT_EQ(force->list_use().early, 0U);
    EXPECT_EQ(force->list_use().reuses, 1U);
}

TEST_P(Reuse, ends_when_rows_are_reordered) {
    ParticleSet particles = models::plummer(1000, 1);
    const auto force = gravity(softening, 1, settings(1));
    compute(*force, particles);
    std::vector<std::uint32_t> reversed(1000);
    for (std::uint32_t k = 0; k < 1000; ++k) reversed[k] = 999 - k;
    particles.permute(reversed);
    step(*force, particles);
    EXPECT_LT(errors_of(*force, particles).acceleration, 0.02);
}

TEST_P(Reuse, of_no_particle_is_nothing) {
    ParticleSet none(0);
    const auto force = gravity(softening, 1, settings());
    compute(*force, none);
    step(*force, none);
    EXPECT_EQ(force->tree().cells().size(), 0U);
}

INSTANTIATE_TEST_SUITE_P(By, Reuse, testing::Values(Method::tree, Method::fmm),
                         [](const auto& of) { return of.param == Method::fmm ? "fmm" : "tree"; });

TEST(ReuseSettings, out_of_range_are_refused) {
    EXPECT_EQ(message_of([] { gravity(0, 1, {.lists = Lists::reuse, .reuse_steps = 0}); }),
              "reuse_steps is 0: allowed is 1 or more");
    EXPECT_EQ(message_of([] { gravity(0, 1, {.lists = Lists::reuse, .opening_growth = -0.1}); }),
              "opening_growth is -0.1: allowed is 0 to 1");
}

}  // namespace trellis::reuse_test
