// All public headers can be included together, and no name that a program brings in with both namespaces is ambiguous.
#include <gtest/gtest.h>

#include "all_headers.hpp"

using namespace trellis;
using namespace trellis::fields;

TEST(AllHeaders, together_leave_every_field_to_be_named) {
    ParticleSet gas(1);
    EXPECT_EQ(gas.add(pressure).size(), 1U);
    EXPECT_EQ(gas.add(density).size(), 1U);
    EXPECT_EQ(gas[mass].size(), 1U);
}
