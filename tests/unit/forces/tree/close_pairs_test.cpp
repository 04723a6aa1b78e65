// Pairs that are far closer than the groups that they are in: binary stars, and a planet with its moon.
#include <gtest/gtest.h>

#include "trellis/forces/gravity/gravity_force.hpp"
#include "trellis/particles/particle_subset.hpp"
#include "trellis/ranks/comm/thread_ranks.hpp"
#include "unit/forces/tree/compared_force.hpp"
#include "unit/forces/tree/shared_particles.hpp"
#include "unit/particle_models.hpp"

namespace trellis::close_pairs_test {

using namespace fields;

constexpr std::size_t stars = 3'000, binaries = 400;
constexpr double separation = 1e-6;
// Error that positions of about 10 leave of such a separation in double precision; the field of all other stars has an
// accuracy of 1e-3.
constexpr double rounding = 1e-8;

// A Plummer sphere whose first rows are pairs.
ParticleSet with_binaries() {
    ParticleSet particles = models::plummer(stars, 1);
    models::Random random(5);
    for (std::size_t k = 0; k < 2 * binaries; k += 2)
        particles[position][k + 1] = particles[position][k] + separation * random.direction();
    return particles;
}

// The largest relative error of the accelerations of binary stars.
double worst_error(const Force& force, const ParticleSet& particles, std::size_t count = 2 * binaries) {
    double worst = 0;
    for (std::uint32_t row = 0; row < count; ++row) {
        const Exact exact = exact_force(force, particles, row);
        worst = std::max(worst, norm(particles[acceleration][row] - exact.acceleration) / norm(exact.acceleration));
    }
    return worst;
}

struct Path {
    const char* name;
    ForceSettings settings;
    friend void PrintTo(const Path& path, std::ostream* out) { *out << path.name; }
};
const Path paths[] = {
    {"fmm", {}},
    {"fmm_of_large_groups", {.group_size = 500, .leaf_size = 50}},
    {"fmm_of_small_groups", {.group_size = 4, .leaf_size = 4}},
    {"fmm_with_lists_that_are_kept", {.lists = Lists::reuse, .reuse_steps = 4}},
    {"tree", {.method = Method::tree}},
    {"superparticles", {.theta = 0.5, .method = Method::tree, .order = 1}},
};

class ClosePairs : public testing::TestWithParam<Path> {};
INSTANTIATE_TEST_SUITE_P(paths, ClosePairs, testing::ValuesIn(paths), testing::PrintToStringParamName());

TEST_P(ClosePairs, have_the_force_of_double_precision) {
    ParticleSet particles = with_binaries();
    const auto force = gravity(0, 1, GetParam().settings);
    compute(*force, particles);
    EXPECT_LT(worst_error(*force, particles), rounding);
}

// Two particles far out centre the root cell on the origin, so that both stars of each binary are in different leaves.
// Those alone in their cells act by expansions, in single precision.
TEST(ClosePairsAcrossLeaves, have_the_force_of_double_precision) {
    ParticleSet particles = with_binaries();
    for (std::uint32_t row = 0; row < 2 * binaries; ++row)
        particles[position][row].x = (row % 2 == 0 ? 0.5 : -0.5) * separation;
    double reach = 0;
    for (const Vec3<double>& at : particles[position]) reach = std::max(reach, norm(at));
    particles[position][stars - 1] = {reach, reach, reach};
    particles[position][stars - 2] = {-reach, -reach, -reach};
    const auto force = gravity(0, 1, {});
    compute(*force, particles);
    EXPECT_LT(worst_error(*force, particles), 5e-7);
}

TEST(ClosePairsInSinglePrecision, have_the_force_of_that) {
    ParticleSet particles = with_binaries();
    const auto force = gravity(0, 1, {.precision = Precision::single_});
    compute(*force, particles);
    EXPECT_GT(worst_error(*force, particles), 1e-4);
}

TEST(ClosePairsWithASoftening, need_no_more_digits) {
    ParticleSet particles = with_binaries(), in_single = with_binaries();
    compute(*gravity(2, 1, {}), particles);
    compute(*gravity(2, 1, {.precision = Precision::single_}), in_single);
    for (std::size_t row = 0; row < stars; ++row)
        ASSERT_EQ(particles[acceleration][row], in_single[acceleration][row]) << row;
}

// The stars of each binary are on different ranks. Those alone in their cells act by expansions, in single precision.
TEST(ClosePairsAcrossRanks, have_the_force_of_double_precision) {
    const ParticleSet all = with_binaries();
    run_ranks(2, [&](Comm& comm) {
        Ranks ranks{std::shared_ptr<Comm>(&comm, [](Comm*) {}), domain_tree(best_shape(2, {1, 1, 1}))};
        std::vector<std::uint32_t> rows;
        for (auto row = static_cast<std::uint32_t>(comm.rank()); row < stars; row += 2) rows.push_back(row);
        ParticleSubset own;
        own.choose(all, rows);
        own.gather(all);
        const auto force = gravity(0, 1, {.theta = 0.5});
        force->attach(own.particles(), 0);
        compute_shared(*force, own.particles(), {{}, false, &ranks});
        for (std::size_t k = 0; k < binaries; ++k) {
            const Exact exact = exact_force(*force, all, rows[k]);
            const Vec3<double> wrong = own.particles()[acceleration][k] - exact.acceleration;
            EXPECT_LT(norm(wrong) / norm(exact.acceleration), 5e-7) << rows[k];
        }
    });
}

// The Sun, eight planets and the Moon, in astronomical units and solar masses.
TEST(ClosePairsOfFewBodies, are_in_double_precision) {
    constexpr double distances[] = {0, 0.387, 0.723, 1, 1.524, 5.203, 9.537, 19.19, 30.07, 1.00257};
    constexpr double masses[] = {1, 1.7e-7, 2.4e-6, 3e-6, 3.2e-7, 9.5e-4, 2.9e-4, 4.4e-5, 5.1e-5, 3.7e-8};
    ParticleSet bodies(10);
    for (std::size_t k = 0; k < 10; ++k) {
        const double angle = k == 9 ? 3.001 : static_cast<double>(k);
        bodies[position][k] = distances[k] * Vec3<double>{std::cos(angle), std::sin(angle), 0};
        bodies[mass][k] = masses[k];
    }
    const auto force = gravity(0, 1, {});
    compute(*force, bodies);
    EXPECT_LT(worst_error(*force, bodies, 10), 1e-14);
}

}  // namespace trellis::close_pairs_test
