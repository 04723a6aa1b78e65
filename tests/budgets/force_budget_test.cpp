// Work and memory per particle of a force of accuracy 1e-3 on one rank.
#include "budgets/budget.hpp"
#include "trellis/forces/gravity/gravity_force.hpp"
#include "trellis/run/simulation.hpp"
#include "unit/particle_models.hpp"

namespace trellis {
namespace {

struct ForceBudget {
    models::Model model;
    double pairs, expansions, list_bytes;
};

class ForceBudgets : public testing::TestWithParam<ForceBudget> {};

TEST_P(ForceBudgets, are_kept) {
    constexpr std::size_t size = 32768;
    const ForceBudget& budget = GetParam();
    Simulation sim(std::make_shared<ParticleSet>(budget.model.make(size, 1)), 1);
    const std::shared_ptr<ForceByTree> force = gravity(1e-4, 1, {.accuracy = 1e-3, .lists = Lists::reuse});
    sim.add_force(force);
    sim.compute_forces();
    const auto each = [&](std::size_t count) { return static_cast<double>(count) / static_cast<double>(size); };
    budgets::expect_within(budget.pairs, each(sim.work().pairs), "pairs a particle");
    budgets::expect_within(budget.expansions, each(sim.work().expansions), "expansions (M2L) a particle");
    budgets::expect_within(budget.list_bytes, each(force->lists().bytes()), "bytes of lists a particle");
}

INSTANTIATE_TEST_SUITE_P(, ForceBudgets,
                         testing::Values(ForceBudget{{"sphere", models::uniform_sphere}, 1191, 8.84, 53.5},
                                         ForceBudget{{"plummer", models::plummer}, 1234, 8.19, 53.1},
                                         ForceBudget{{"clumps", models::clustered}, 2134, 2.34, 37.2}),
                         [](const auto& instance) { return std::string(instance.param.model.name); });

}  // namespace
}  // namespace trellis
