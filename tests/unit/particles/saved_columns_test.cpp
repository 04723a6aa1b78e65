#include "trellis/particles/saved_columns.hpp"

#include <gtest/gtest.h>

namespace trellis::saved_columns_test {

using namespace fields;

TEST(SavedColumns, are_restored_and_the_others_stay) {
    ParticleSet particles(3);
    SavedColumns saved;
    saved.add(Mass::name);
    saved.add(Id::name);
    saved.add(Mass::name);
    for (const double value : {1.0, 4.0}) {  // columns are saved again, and the later values come back
        particles[mass][2] = value;
        particles[id][1] = 7;
        saved.save(particles);
        particles[mass][2] = 2;
        particles[id][1] = 8;
        particles[potential][0] = 3;
        saved.restore(particles);
        EXPECT_EQ(particles[mass][2], value);
        EXPECT_EQ(particles[id][1], 7U);
        EXPECT_EQ(particles[potential][0], 3);
    }
}

}  // namespace trellis::saved_columns_test
