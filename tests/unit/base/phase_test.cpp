#include "trellis/base/phase.hpp"

#include <gtest/gtest.h>

namespace trellis::phase_test {

TEST(Phases, times_add_up_until_reset) {
    Phases phases;
    phases.add(Phase::sort_key, 1.5);
    phases.add(Phase::sort_key, 0.5);
    EXPECT_EQ(phases.seconds(Phase::sort_key), 2.0);
    EXPECT_EQ(phases.seconds(Phase::force_kernel), 0.0);
    phases.reset();
    EXPECT_EQ(phases.seconds(Phase::sort_key), 0.0);
}

TEST(Phases, a_timer_counts_for_its_phase_alone) {
    Phases phases;
    const auto start = Phases::Clock::now();
    {
        const PhaseTimer timer(phases, Phase::force_kernel);
        while (Phases::Clock::now() - start < std::chrono::milliseconds(2)) {
        }
    }
    EXPECT_GE(phases.seconds(Phase::force_kernel), 0.001);
    EXPECT_EQ(phases.seconds(Phase::integration), 0.0);
}

TEST(Phases, every_phase_has_the_name_of_the_papers_table) {
    EXPECT_EQ(phase_names[static_cast<std::size_t>(Phase::set_root_cell)], "Set root cell");
    EXPECT_EQ(phase_names[static_cast<std::size_t>(Phase::make_interaction_list)], "Make interaction list");
    for (const auto name : phase_names) EXPECT_FALSE(name.empty());
}

}  // namespace trellis::phase_test
