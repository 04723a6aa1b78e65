#include "trellis/integrate/rungs/level_choice.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

namespace trellis::level_choice_test {

double cost_of(const RungCounts& counts, const LevelOfRung& levels, unsigned first) {
    double all = 0;
    for (unsigned level = first; level <= deepest_rung; ++level) {
        bool used = false;
        double particles = 0;
        for (unsigned rung = first; rung <= deepest_rung; ++rung) {
            used |= counts[rung] > 0 && levels[rung] == level;
            particles += levels[rung] >= level ? static_cast<double>(counts[rung]) : 0;
        }
        if (used) all += std::ldexp(particles + overhead_of_level, static_cast<int>(level));
    }
    return all;
}

// The least cost of all sets of levels from `first` to `last`.
double least_cost(const RungCounts& counts, unsigned first, unsigned last) {
    double least = std::numeric_limits<double>::infinity();
    for (unsigned set = 0; set < 1U << (last - first + 1); ++set) {
        LevelOfRung levels{};
        unsigned next = deepest_rung + 1;
        for (unsigned rung = last + 1; rung-- > first;) {
            if ((set >> (rung - first) & 1U) != 0) next = rung;
            levels[rung] = next;
        }
        if (levels[last] == last) least = std::min(least, cost_of(counts, levels, first));
    }
    return least;
}

TEST(LevelChoice, costs_least_of_all_choices) {
    std::mt19937 random(1);
    for (int trial = 0; trial < 300; ++trial) {
        const unsigned first = random() % 3, last = first + 6;
        RungCounts counts{};
        for (unsigned rung = first; rung <= last; ++rung) counts[rung] = random() % 3 == 0 ? 0 : random() % 5000;
        counts[last] = 1 + random() % 100;
        const LevelOfRung levels = choose_levels(counts, first);
        for (unsigned rung = first; rung <= last; ++rung) EXPECT_GE(levels[rung], rung);
        EXPECT_EQ(cost_of(counts, levels, first), least_cost(counts, first, last));
    }
}

TEST(LevelChoice, has_no_level_for_few_of_many) {
    RungCounts counts{};
    counts[1] = 10, counts[2] = 100'000, counts[5] = 1000;
    const LevelOfRung levels = choose_levels(counts, 1);
    EXPECT_EQ(levels[1], 2U);
    EXPECT_EQ(levels[2], 2U);
    EXPECT_EQ(levels[5], 5U);
}

}  // namespace trellis::level_choice_test
