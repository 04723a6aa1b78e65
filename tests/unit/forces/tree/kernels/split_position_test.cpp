#include "trellis/forces/tree/expansions/split_position.hpp"

#include <gtest/gtest.h>

#include "unit/particle_models.hpp"

namespace trellis::split_position_test {

using namespace fields;

template <class R>
struct Row {
    R value[3], rest[3];
};

// A separate function, for compilers that get this wrong when they vectorise it.
template <class R>
[[gnu::noinline]] void split(const Vec3<double>& position, const Vec3<double>& corner, Row<R>& row) {
    const SplitPosition<R> split(position - corner);
    for (std::size_t axis = 0; axis < 3; ++axis) {
        row.value[axis] = split.value[axis];
        row.rest[axis] = split.rest[axis];
    }
}

TEST(SplitPosition, loses_nothing_on_any_axis) {
    models::Random random(2);
    const Vec3<double> corner{-0.1, -0.2, -0.3};
    for (int k = 0; k < 1000; ++k) {
        const Vec3<double> position = random.in_cube() * 50.0;
        Row<float> single;
        Row<double> whole;
        split(position, corner, single);
        split(position, corner, whole);
        for (std::size_t axis = 0; axis < 3; ++axis) {
            const double exact = position[axis] - corner[axis];
            EXPECT_EQ(single.value[axis], static_cast<float>(exact));
            EXPECT_NEAR(double{single.value[axis]} + double{single.rest[axis]}, exact, 1e-14 * exact);
            EXPECT_EQ(whole.value[axis], exact);
            EXPECT_EQ(whole.rest[axis], 0);
        }
    }
}

}  // namespace trellis::split_position_test
