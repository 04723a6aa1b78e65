#include "trellis/forces/row_records.hpp"

#include <gtest/gtest.h>

#include <array>

namespace trellis::row_records_test {

using namespace fields;

struct Charge : Field<double, "charge", "e", "electric charge"> {};
inline constexpr Charge charge;

struct Charged {
    using Target = Fields<Position, Mass, Velocity, Charge>;  // mass and velocity are not in Source
    using Source = Fields<Position, Charge>;
    using Result = Fields<Acceleration>;
};

// A row: position and its rest, charge, mass, velocity.
constexpr std::array<float, 12> row = {1024, 2, 3, 0.25F, 0.5F, 0.125F, 7, 8, 9, 10, 11, 0};
constexpr std::array<float, 12> origin = {1023, 2, 1, 0, 0.25F, 0};

TEST(RowRecords, RowsAreReadInFours) { EXPECT_EQ(record_stride<Charged>, row.size()); }

TEST(RowRecords, Source) {
    const auto j = source_of<Charged>(row.data(), origin.data());
    EXPECT_EQ(j[position], (Vec3<float>{1.25F, 0.25F, 2.125F}));
    EXPECT_EQ(j[charge], 7);
}

TEST(RowRecords, TargetHasFieldsThatSourceLacks) {
    const auto i = target_of<Charged>(row.data(), origin.data());
    EXPECT_EQ(i[position], (Vec3<float>{1.25F, 0.25F, 2.125F}));
    EXPECT_EQ(i[charge], 7);
    EXPECT_EQ(i[mass], 8);
    EXPECT_EQ(i[velocity], (Vec3<float>{9, 10, 11}));
}

}  // namespace trellis::row_records_test
