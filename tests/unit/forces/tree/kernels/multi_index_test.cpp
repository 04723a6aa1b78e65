#include "trellis/forces/tree/expansions/multi_index.hpp"

#include <gtest/gtest.h>

namespace trellis::multi_index_test {

TEST(MultiIndex, counts_through_all_powers_up_to_an_order) {
    EXPECT_EQ(terms(0), 1);
    EXPECT_EQ(terms(2), 10);
    EXPECT_EQ(terms(5), 56);
    for (int term = 0; term < terms(7); ++term) {
        const Power p = power_of(term);
        EXPECT_EQ(term_of(p), term);
        EXPECT_GE(p.order(), term == 0 ? 0 : power_of(term - 1).order());
        EXPECT_TRUE(p.x >= 0 && p.y >= 0 && p.z >= 0);
    }
}

}  // namespace trellis::multi_index_test
