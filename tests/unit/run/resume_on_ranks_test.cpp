// Checkpoints of several ranks.
#include <gtest/gtest.h>

#include <cmath>

#include "trellis/forces/gravity/gravity_force.hpp"
#include "unit/run/simulation_on_ranks.hpp"

namespace trellis::resume_on_ranks_test {

using namespace fields;

constexpr std::uint64_t end_of_run = 30;

MakeForces by_gravity(const ForceSettings& settings) {
    return [=] { return std::vector<std::shared_ptr<Force>>{gravity(0.05, 1, settings)}; };
}

struct Checkpoint {
    std::shared_ptr<ParticleSet> particles;
    DomainState domain;
    double time = 0;
    std::uint64_t step = 0;
};

Checkpoint checkpoint_of(const Simulation& sim) {
    return {copy_of(sim.particles()), sim.domain_state(), sim.time(), sim.step_count()};
}

void go_on(Simulation& sim, const Checkpoint& from) {
    sim.resume(from.time, from.step, from.domain);
    while (sim.step_count() < end_of_run) sim.step();
}

struct Case {
    const char* name;
    ForceSettings settings;
    int ranks;
    std::size_t size;
    friend void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }
};

class ResumedOnRanks : public testing::TestWithParam<Case> {};
INSTANTIATE_TEST_SUITE_P(
    With, ResumedOnRanks,
    testing::Values(
        Case{"lists_rebuilt", {.accuracy = 1e-3}, 4, 400},
        Case{"lists_reused", {.accuracy = 1e-3, .lists = Lists::reuse, .reuse_steps = 8, .opening_growth = 1}, 4, 400},
        Case{"lists_made_early",
             {.accuracy = 1e-3, .lists = Lists::reuse, .reuse_steps = 12, .opening_growth = 0.05},
             3,
             400},
        Case{"superparticles", {.theta = 0.7, .method = Method::tree, .lists = Lists::reuse, .reuse_steps = 8}, 5, 400},
        Case{"empty_ranks", {.accuracy = 1e-3, .lists = Lists::reuse, .reuse_steps = 8, .opening_growth = 1}, 8, 3}),
    testing::PrintToStringParamName());

TEST_P(ResumedOnRanks, at_any_step_goes_on_bit_for_bit) {
    const auto [name, settings, ranks, size] = GetParam();
    const auto start = moving_plummer(size);
    run_ranks(ranks, [&](Comm& comm) {
        const auto whole = simulation_on(comm, all_on_first(comm, *start), by_gravity(settings));
        whole->ensure_forces();
        std::vector<Checkpoint> checkpoints;
        for (; whole->step_count() < end_of_run; whole->step())
            if (whole->step_count() % 3 == 0) checkpoints.push_back(checkpoint_of(*whole));
        for (const Checkpoint& checkpoint : checkpoints) {
            SCOPED_TRACE(testing::Message() << "rank " << comm.rank() << " resumed at step " << checkpoint.step);
            const auto resumed = simulation_on(comm, checkpoint.particles, by_gravity(settings));
            go_on(*resumed, checkpoint);
            EXPECT_EQ(resumed->time(), whole->time());
            EXPECT_EQ(resumed->domain_state(), whole->domain_state());
            expect_same_bits(resumed->particles(), whole->particles());
        }
    });
}

TEST_P(ResumedOnRanks, with_another_number_of_them_goes_on_within_the_error_of_the_forces) {
    const auto [name, settings, ranks, size] = GetParam();
    const auto start = moving_plummer(size);
    std::vector<Checkpoint> parts(static_cast<std::size_t>(ranks));
    const auto at_checkpoint = run_on_ranks(ranks, *start, by_gravity(settings), 11, [&](Simulation& sim) {
        parts[static_cast<std::size_t>(sim.comm().rank())] = checkpoint_of(sim);
    });
    const auto whole = run_on_ranks(ranks, *start, by_gravity(settings), end_of_run);
    for (const int now : {1, 2, 7}) {
        const auto end = copy_of(*at_checkpoint);
        run_ranks(now, [&](Comm& comm) {
            Checkpoint part = parts[static_cast<std::size_t>(comm.rank()) % parts.size()];
            part.particles = all_on_first(comm, *at_checkpoint);
            const auto sim = simulation_on(comm, part.particles, by_gravity(settings));
            go_on(*sim, part);
            put_by_id(sim->particles(), *end);
        });
        for (std::size_t row = 0; row < size; ++row) {
            const Vec3<double> apart = (*end)[position][row] - (*whole)[position][row];
            ASSERT_LT(std::sqrt(dot(apart, apart)), 1e-3) << "of " << now << " ranks, particle " << row;
        }
    }
}

TEST(DomainStateOfRanks, is_empty_for_a_rank_alone) {
    const auto comm = serial_comm();
    const auto sim = simulation_on(*comm, moving_plummer(5), by_gravity({.accuracy = 1e-3}));
    sim->step();
    EXPECT_TRUE(sim->domain_state().empty());
}

TEST(DomainStateOfRanks, that_is_malformed_is_refused) {
    const auto comm = serial_comm();
    const auto sim = simulation_on(*comm, moving_plummer(5), by_gravity({.accuracy = 1e-3}));
    EXPECT_THROW(sim->resume(0, 0, {{1}, {}}), InputError);
    EXPECT_THROW(sim->resume(0, 0, {{-1, 1}, {}}), InputError);
}

}  // namespace trellis::resume_on_ranks_test
