// Levels of few particles, which one of the ranks takes alone.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include "trellis/forces/gravity/encounters/encounter_limit.hpp"
#include "trellis/forces/gravity/gravity_force.hpp"
#include "trellis/integrate/rungs/level_on_one_rank.hpp"
#include "trellis/run/simulation.hpp"
#include "unit/run/simulation_on_ranks.hpp"

namespace trellis::levels_on_one_rank_test {

constexpr double eta = 0.025, longest = 1.0 / 16;

std::unique_ptr<Simulation> individual(Comm& comm, std::shared_ptr<ParticleSet> own, double softening, unsigned order,
                                       double accuracy = 1e-3) {
    auto sim = std::make_unique<Simulation>(std::move(own), longest, std::shared_ptr<Comm>(&comm, [](Comm*) {}));
    sim->set_individual_steps(eta, order);
    const bool exact = accuracy < 1e-4;
    sim->add_force(
        gravity(softening, 1, {.accuracy = accuracy, .precision = exact ? Precision::double_ : Precision::automatic}));
    sim->add_force(std::make_shared<EncounterLimit>(ComovingSoftening{softening}, 1, eta, Space::at_rest));
    return sim;
}

// A Plummer sphere whose first two particles orbit each other at this separation, far from the others.
std::shared_ptr<ParticleSet> with_a_binary(std::size_t count, double separation) {
    auto stars = moving_plummer(count);
    const double speed = std::sqrt(2 * (*stars)[mass][0] / separation) / 2;
    for (std::size_t k = 0; k < 2; ++k) {
        const double side = k == 0 ? 1 : -1;
        (*stars)[position][k] = {3 + side * separation / 2, 0, 0};
        (*stars)[velocity][k] = {0, side * speed, 0};
    }
    return stars;
}

struct Ended {
    std::shared_ptr<ParticleSet> end;
    std::uint64_t messages = 0, updates = 0;  // of all ranks, in the last step
    std::uint64_t most_of_rank = 0;           // updates of the rank with the most
    std::size_t deepest = 0;
};

Ended run(int ranks, const ParticleSet& start, std::uint64_t steps, double softening, unsigned order = 2,
          double accuracy = 1e-3) {
    Ended ended{copy_of(start)};
    HierarchicalSteps::attach(*ended.end);
    run_ranks(ranks, [&](Comm& comm) {
        const auto sim = individual(comm, all_on_first(comm, start), softening, order, accuracy);
        sim->run_steps(steps - 1);
        const std::uint64_t before = comm.traffic().messages;
        sim->step();
        const std::array<std::uint64_t, 2> own{comm.traffic().messages - before, sim->rung_use()->updates};
        for (const auto& each : all_gather(comm, own)) {
            if (comm.rank() != 0) continue;
            ended.messages += each[0];
            ended.updates += each[1];
            ended.most_of_rank = std::max(ended.most_of_rank, each[1]);
        }
        put_by_id(sim->particles(), *ended.end);
    });
    for (const double rung_of_row : (*ended.end)[rung])
        ended.deepest = std::max(ended.deepest, static_cast<std::size_t>(rung_of_row));
    return ended;
}

TEST(LevelsOnOneRank, send_no_more_for_more_rungs) {
    const Ended wide = run(2, *with_a_binary(300, 1e-2), 2, 0), near = run(2, *with_a_binary(300, 1e-4), 2, 0);
    EXPECT_GE(near.deepest, wide.deepest + 5);
    EXPECT_GT(near.updates, 10 * wide.updates);
    EXPECT_LE(static_cast<double>(near.messages), 1.2 * static_cast<double>(wide.messages));
}

// Levels of all ranks above levels of one.
TEST(LevelsOnOneRank, are_those_of_a_rank_alone) {
    for (const unsigned order : {2U, 4U}) {
        const auto start = with_a_binary(2500, 1e-2);
        const Ended alone = run(1, *start, 2, 1e-4, order, 1e-6);
        for (const int ranks : {2, 3}) {
            const Ended shared = run(ranks, *start, 2, 1e-4, order, 1e-6);
            EXPECT_LT(farthest_apart(*shared.end, *alone.end), 1e-5) << ranks << " ranks, order " << order;
            EXPECT_NEAR(static_cast<double>(shared.updates), static_cast<double>(alone.updates),
                        0.01 * static_cast<double>(alone.updates));
            EXPECT_LT(shared.most_of_rank, shared.updates);  // several ranks move particles
        }
    }
}

TEST(LevelsOnOneRank, have_the_same_bits_in_every_run) {
    const auto start = with_a_binary(1500, 1e-3);
    expect_same_bits(*run(3, *start, 2, 1e-4).end, *run(3, *start, 2, 1e-4).end);
}

TEST(LevelsOnOneRank, are_those_with_few_particles_elsewhere) {
    constexpr std::uint64_t few = LevelOnOneRank::most_sent;
    EXPECT_TRUE(LevelOnOneRank::suits({2 * few, few, 1}));
    EXPECT_TRUE(LevelOnOneRank::suits({100'000 + few, 100'000, 0}));
    EXPECT_FALSE(LevelOnOneRank::suits({2 * few + 1, few, 0}));
}

}  // namespace trellis::levels_on_one_rank_test
