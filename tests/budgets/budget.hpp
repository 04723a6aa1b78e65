// Counted budgets keep the cost that an algorithm has reached. Counts are the same on every machine, unlike times.
#pragma once

#include <gtest/gtest.h>

#include <string>

namespace trellis::budgets {

// Fails if a count exceeds its budget by more than 2 %, or falls below it by more than 10 %: then the budget is to be
// lowered, to keep what was gained.
inline void expect_within(double budget, double count, const std::string& what) {
    EXPECT_LE(count, 1.02 * budget) << what << ": more than 2 % beyond the budget of " << budget;
    EXPECT_GE(count, 0.90 * budget) << what << ": lower the budget of " << budget << " to keep this";
}

}  // namespace trellis::budgets
