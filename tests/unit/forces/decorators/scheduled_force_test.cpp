// A force whose settings follow the time: which stage acts when.
#include "trellis/forces/decorators/scheduled_force.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "unit/run/plain_force.hpp"

namespace trellis::scheduled_force_test {

// Notes the stage that each call reaches.
struct Stage final : PlainForce {
    Stage(std::size_t number, std::vector<std::size_t>& calls) : number(number), calls(calls) {}
    void resume(ParticleSet&, double, const Ranks*) override { calls.push_back(number); }
    void dispatch(ParticleSet&, const ForceStep&, Phases&) override { calls.push_back(number); }

    std::size_t number;
    std::vector<std::size_t>& calls;
};

class Scheduled : public testing::Test {
  protected:
    void dispatch(double time, bool level) { force.dispatch(particles, {.time = time, .level = level}, phases); }

    std::vector<std::size_t> calls;
    ParticleSet particles{1};
    Phases phases;
    ScheduledForce force{
        {0, 1, 2}, [&](std::size_t stage, const Devices&) { return std::make_unique<Stage>(stage, calls); }, {}};
};

TEST_F(Scheduled, the_forces_of_all_particles_begin_a_stage_and_those_of_levels_keep_it) {
    force.attach(particles, 0);
    for (const double time : {-1.0, 0.5, 1.0, 2.5}) {
        dispatch(time, true);
        dispatch(time, false);
        dispatch(time, true);
    }
    EXPECT_EQ(calls, (std::vector<std::size_t>{0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 2, 2}));
}

TEST_F(Scheduled, a_resumed_run_is_in_the_stage_of_its_time) {
    force.attach(particles, 0);
    force.resume(particles, 1.5, nullptr);
    dispatch(1.5, true);
    EXPECT_EQ(calls, (std::vector<std::size_t>{1, 1}));
}

}  // namespace trellis::scheduled_force_test
