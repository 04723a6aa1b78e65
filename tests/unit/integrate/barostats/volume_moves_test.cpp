#include "trellis/integrate/barostats/volume_moves.hpp"

#include <gtest/gtest.h>

#include "trellis/integrate/barostats/scaled_box.hpp"
#include "unit/error_message.hpp"
#include "unit/run/moving_particles.hpp"

namespace trellis::volume_moves_test {

using namespace fields;

constexpr Barostat barostat{.every = 4, .pressure = 1, .longest_move = 0.1, .seed = 3};

TEST(VolumeMoves, AreDueAtMultiplesOfTheirNumberOfSteps) {
    const VolumeMoves moves(barostat, 10);
    for (const std::uint64_t step : {0, 1, 3, 5, 10}) EXPECT_FALSE(moves.due(step)) << step;
    for (const std::uint64_t step : {4, 8, 400}) EXPECT_TRUE(moves.due(step)) << step;
}

TEST(VolumeMoves, KeepAccountOfAcceptedMoves) {
    VolumeMoves moves(barostat, 10);
    EXPECT_TRUE(moves.accepts({0, 0, -2.5}, 1, 0.5));
    EXPECT_FALSE(moves.accepts({0, 0, 100}, 1, 0.5));
    EXPECT_EQ(moves.energy(), 2.5);
    EXPECT_EQ(moves.state(), (std::vector<double>{2, 1, 2.5}));
    VolumeMoves restored(barostat, 10);
    restored.restore(moves.state());
    EXPECT_EQ(restored.state(), moves.state());
    EXPECT_EQ(message_of([&] { restored.restore(std::vector<double>{1}); }),
              "the state of a barostat has 1 numbers, but must have 3");
}

TEST(VolumeMoves, RefuseSettingsOutOfRange) {
    const auto message = [](const Barostat& of) { return message_of([&] { VolumeMoves(of, 10); }); };
    EXPECT_EQ(message({.every = 0, .longest_move = 0.1}),
              "a barostat moves the volume every 0 steps: allowed is 1 or more");
    EXPECT_EQ(message({.every = 1, .longest_move = 0}), "the longest move of a barostat is 0: allowed is above 0");
    EXPECT_EQ(message({.every = 1, .pressure = INFINITY, .longest_move = 0.1}),
              "the pressure is inf: allowed are finite numbers");
}

class ScaledBoxes : public testing::Test {
  protected:
    ScaledBoxes() {
        for (const auto& each : {particles, before}) each->set_region({{-1, 0, 2}, {2, 1, 4}});
        saved.add(Position::name);
        saved.add(Potential::name);
    }

    std::shared_ptr<ParticleSet> particles = moving_plummer(20);
    const std::shared_ptr<ParticleSet> before = copy_of(*particles);
    SavedColumns saved;
};

TEST_F(ScaledBoxes, AreAsBeforeUnlessTheyAreKept) {
    {
        const ScaledBox trial(*particles, saved, 1.1);
        EXPECT_EQ(particles->region(), (Region{{-1.1, 0, 2.2}, {2.2, 1.1, 4.4}}));
        EXPECT_EQ((*particles)[position][7], 1.1 * (*before)[position][7]);
        EXPECT_NEAR(trial.volume_change(), 6 * (1.331 - 1), 1e-12);
        (*particles)[potential][3] = 5;
    }
    EXPECT_EQ(particles->region(), before->region());
    expect_same_bits(*particles, *before);
}

TEST_F(ScaledBoxes, StayIfTheyAreKept) {
    {
        ScaledBox(*particles, saved, 0.5).keep();
    }
    EXPECT_EQ(particles->region(), (Region{{-0.5, 0, 1}, {1, 0.5, 2}}));
    EXPECT_EQ((*particles)[position][7], 0.5 * (*before)[position][7]);
    EXPECT_EQ((*particles)[velocity][7], (*before)[velocity][7]);
}

}  // namespace trellis::volume_moves_test
