// Messages and kilobytes that a rank sends in one step of accuracy 1e-3: samples, particles and essential trees
// together.
#include <functional>

#include "budgets/budget.hpp"
#include "trellis/forces/gravity/gravity_force.hpp"
#include "trellis/ranks/comm/collective.hpp"
#include "trellis/ranks/comm/thread_ranks.hpp"
#include "trellis/run/simulation.hpp"
#include "unit/forces/tree/shared_particles.hpp"
#include "unit/particle_models.hpp"

namespace trellis {
namespace {

struct RankBudget {
    int ranks;
    double messages, kilobytes;
};

class RankBudgets : public testing::TestWithParam<RankBudget> {};

TEST_P(RankBudgets, are_kept) {
    const RankBudget& budget = GetParam();
    const ParticleSet all = models::plummer(500 * static_cast<std::size_t>(budget.ranks), 1);
    run_ranks(budget.ranks, [&](Comm& comm) {
        const auto local = std::make_shared<ParticleSet>(share_of(all, cut_of(all, comm.size()), comm.rank()));
        Simulation sim(local, 1e-6, {&comm, [](Comm*) {}});
        sim.add_force(gravity(1e-3, 1, {.accuracy = 1e-3}));
        sim.compute_forces();
        const Traffic before = comm.traffic();
        sim.step();
        const auto a_rank = [&](std::uint64_t sent) {
            return static_cast<double>(all_reduce(comm, sent, std::plus<>())) / comm.size();
        };
        const Traffic step{comm.traffic().messages - before.messages, comm.traffic().bytes - before.bytes};
        const double messages = a_rank(step.messages), bytes = a_rank(step.bytes);
        if (comm.rank() != 0) return;
        budgets::expect_within(budget.messages, messages, "messages a rank");
        budgets::expect_within(budget.kilobytes, bytes / 1000, "kilobytes a rank");
    });
}

INSTANTIATE_TEST_SUITE_P(, RankBudgets, testing::Values(RankBudget{8, 32.4, 156}, RankBudget{64, 167, 512}),
                         [](const auto& instance) { return "of_" + std::to_string(instance.param.ranks); });

}  // namespace
}  // namespace trellis
