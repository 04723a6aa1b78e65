#include "trellis/forces/tree/expansions/l2p.hpp"

#include <gtest/gtest.h>

#include "unit/forces/tree/kernels/random_local.hpp"

namespace trellis::l2p_test {

using Vec = Vec3<double>;
constexpr int order = 5;
using Expansion = Terms<double, order>;

TEST(EvaluateLocal, has_the_slope_of_its_potential_for_gradient) {
    const Expansion local = random_local<order>();
    const Vec y{0.4, -0.2, 0.7};
    const auto value = evaluate_local<order>(local, y);
    for (std::size_t axis = 0; axis < 3; ++axis) {
        Vec step{0, 0, 0};
        step[axis] = 1e-5;
        const double slope =
            (evaluate_local<order>(local, y + step).phi - evaluate_local<order>(local, y - step).phi) / 2e-5;
        EXPECT_NEAR(value.gradient[axis], slope, 1e-9);
    }
}

}  // namespace trellis::l2p_test
