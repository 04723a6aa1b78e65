#include "trellis/forces/tree/expansions/l2l.hpp"

#include <gtest/gtest.h>

#include "trellis/forces/tree/expansions/l2p.hpp"
#include "unit/forces/tree/kernels/random_local.hpp"

namespace trellis::l2l_test {

using Vec = Vec3<double>;
constexpr int order = 5;
using Expansion = Terms<double, order>;

TEST(ShiftLocal, gives_the_same_polynomial_about_the_new_centre) {
    const Expansion local = random_local<order>();
    const Vec offset{0.3, -0.4, 0.2};
    const double ratio = 0.6;
    const Expansion shifted = shift_local<order>(local.data(), offset, ratio);
    for (const Vec& y : {Vec{0, 0, 0}, {0.5, 0.1, -0.3}, {-1, 0.4, 1}}) {
        const auto before = evaluate_local<order>(local, offset + ratio * y), after = evaluate_local<order>(shifted, y);
        EXPECT_NEAR(after.phi, before.phi, 1e-14);
        EXPECT_NEAR(after.gradient.x, ratio * before.gradient.x, 1e-14);
        EXPECT_NEAR(after.gradient.y, ratio * before.gradient.y, 1e-14);
        EXPECT_NEAR(after.gradient.z, ratio * before.gradient.z, 1e-14);
    }
}

}  // namespace trellis::l2l_test
