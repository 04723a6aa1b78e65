// All ranks come to have the same work.
#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "trellis/forces/gravity/gravity_force.hpp"
#include "trellis/ranks/comm/collective.hpp"
#include "unit/run/simulation_on_ranks.hpp"

namespace trellis::balance_on_ranks_test {

// The largest cost over the mean.
double imbalance(Simulation& sim) {
    double most = 0;
    for (const double cost : all_gather(sim.comm(), sim.work().cost)) most = std::max(most, cost);
    return most / (sim.total_work().cost / sim.comm().size());
}

// Clumps of radius 0.1 down to 0.005 at random in the unit cube.
ParticleSet clumps(std::size_t size, std::uint64_t seed) {
    models::Random random(seed);
    std::array<Vec3<double>, 7> centres;
    for (auto& centre : centres) centre = random.in_cube();
    return models::particles_at(size, seed, [&](std::size_t row) {
        const std::size_t clump = row % centres.size();
        return centres[clump] + 0.1 * std::pow(0.6, clump) * std::cbrt(random.uniform(0, 1)) * random.direction();
    });
}

struct Case {
    models::Model model;
    double G;  // small for clumps, so that they do not collapse within some steps
    friend void PrintTo(const Case& c, std::ostream* out) { *out << c.model.name; }
};

class SharedWork : public testing::TestWithParam<Case> {};
INSTANTIATE_TEST_SUITE_P(Of, SharedWork,
                         testing::Values(Case{models::all_models[1], 1}, Case{models::all_models[2], 1},
                                         Case{{"clumps", clumps}, 0.01}),
                         testing::PrintToStringParamName());

TEST_P(SharedWork, is_within_five_per_cent_after_ten_steps) {
    const MakeForces forces = [] {
        return std::vector<std::shared_ptr<Force>>{gravity(0.05, GetParam().G, {.accuracy = 1e-3})};
    };
    run_on_ranks(8, GetParam().model.make(20'000, 1), forces, 10,
                 [](Simulation& sim) { EXPECT_LT(imbalance(sim), 1.05); });
}

// A sphere collapses and bounces: the work of each rank changes meanwhile.
TEST(UnevenWork, is_shared_again_every_eighth_step_and_very_uneven_work_at_once) {
    const ParticleSet start = models::uniform_sphere(4000, 1);
    const MakeForces forces = [] { return std::vector<std::shared_ptr<Force>>{gravity(0.05, 16, {.accuracy = 1e-3})}; };
    run_ranks(4, [&](Comm& comm) {
        const auto sim = simulation_on(comm, all_on_first(comm, start), forces);
        std::array<std::array<int, 2>, 2> times{};
        for (sim->ensure_forces(); sim->step_count() < 60;) {
            const double before = imbalance(*sim);
            const auto cuts = sim->domain_state().cuts;
            sim->step();
            const bool due = sim->step_count() < 16 || sim->step_count() % 8 == 0;
            const bool moved = sim->domain_state().cuts != cuts;
            EXPECT_EQ(moved, before > (due ? 1.03 : 1.1)) << "at step " << sim->step_count();
            ++times[due ? 1 : 0][moved ? 1 : 0];
        }
        for (const auto& of : times)
            for (const int count : of) EXPECT_GT(count, 0);
    });
}

}  // namespace trellis::balance_on_ranks_test
