#include "trellis/forces/tree/device/batch_tuner.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

namespace trellis::batch_tuner_test {

TEST(BatchTuner, tries_each_number_once_and_stays_with_the_fastest) {
    for (const double ideal : {4.0, 8.0, 16.0, 32.0, 64.0}) {
        BatchTuner tuner;
        tuner.note(1e-9, 100);  // the first step does not count
        std::set<std::size_t> tried;
        while (!tuner.done()) {
            EXPECT_TRUE(tried.insert(tuner.batches()).second);
            tuner.note(1 + std::abs(std::log(static_cast<double>(tuner.batches()) / ideal)), 100);
            tuner.note(1e-9, 49);  // nor does one of few pairs
        }
        EXPECT_EQ(tried.size(), 5U);
        EXPECT_EQ(static_cast<double>(tuner.batches()), ideal);
        tuner.note(1e-9, 100);
        EXPECT_EQ(static_cast<double>(tuner.batches()), ideal);
    }
}

}  // namespace trellis::batch_tuner_test
