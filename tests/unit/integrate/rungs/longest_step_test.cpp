#include "trellis/integrate/rungs/longest_step.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <set>
#include <vector>

namespace trellis::longest_step_test {

double length_of(int k) { return std::exp2(-k / 4.0); }

CountsOfLengths counts_of(const std::vector<double>& shares) {
    CountsOfLengths counts{};
    for (const double share : shares) count(share, counts);
    return counts;
}

// The forces on all particles, and on each level as often as it has steps, for the time that the step covers.
double work_over_length(const std::vector<double>& shares, double length) {
    RungCounts counts{};
    for (const double share : shares) ++counts[rung_of(share / length)];
    const LevelOfRung levels = choose_levels(counts, 1);
    std::set<unsigned> used;
    for (unsigned rung = 1; rung <= deepest_rung; ++rung)
        if (counts[rung] > 0) used.insert(levels[rung]);
    double work = static_cast<double>(shares.size()) + overhead_of_level;
    for (const unsigned level : used) {
        double particles = 0;
        for (unsigned rung = 1; rung <= deepest_rung; ++rung)
            if (levels[rung] >= level) particles += static_cast<double>(counts[rung]);
        work += std::ldexp(particles + overhead_of_level, static_cast<int>(level));
    }
    return work / length;
}

TEST(LongestStep, takes_the_least_work_of_all_lengths) {
    std::mt19937_64 random(1);
    for (int trial = 0; trial < 50; ++trial) {
        std::lognormal_distribution<double> lognormal(-1.0 * (trial % 5), 0.2 + 0.3 * (trial % 7));
        std::vector<double> shares(3000);
        for (double& share : shares) share = lognormal(random);
        double least = std::numeric_limits<double>::infinity();
        for (int k = 0; k < 60; ++k) least = std::min(least, work_over_length(shares, length_of(k)));
        const double length = cheapest_length(counts_of(shares));
        EXPECT_LE(length, 1);
        EXPECT_NEAR(work_over_length(shares, length), least, 1e-9 * least);
    }
}

TEST(LongestStep, is_what_nearly_all_particles_can_take) {
    std::vector<double> shares(100'000, 0.4);
    EXPECT_DOUBLE_EQ(cheapest_length(counts_of(shares)), length_of(6));  // 0.35, the first of 0.4 or less
    for (int k = 0; k < 10; ++k) shares[k] = 1e-3;
    EXPECT_DOUBLE_EQ(cheapest_length(counts_of(shares)), length_of(6));
}

TEST(LongestStep, is_never_longer_than_allowed) {
    EXPECT_EQ(cheapest_length(counts_of(std::vector<double>(1000, 3.0))), 1);
    EXPECT_EQ(cheapest_length(counts_of(std::vector<double>(1000, std::numeric_limits<double>::infinity()))), 1);
    EXPECT_EQ(cheapest_length({}), 1);
}

}  // namespace trellis::longest_step_test
