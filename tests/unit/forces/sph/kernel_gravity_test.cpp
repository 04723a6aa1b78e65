#include "trellis/forces/sph/kernels/kernel_gravity.hpp"

#include <gtest/gtest.h>

#include <numbers>

namespace trellis::kernel_gravity_test {

template <class Kernel>
class KernelGravityOf : public testing::Test {
  protected:
    static double mass_within(double q) {  // Simpson's rule in two parts: the spline is in two pieces
        const auto shell = [](double s) { return 4 * std::numbers::pi * Kernel::norm * s * s * Kernel::value(s); };
        const auto part = [&](double low, double high) {
            constexpr int steps = 1000;
            const double width = (high - low) / steps;
            double sum = 0;
            for (int k = 0; k < steps; ++k) {
                const double at = low + k * width;
                sum += width / 6 * (shell(at) + 4 * shell(at + width / 2) + shell(at + width));
            }
            return sum;
        };
        return part(0, std::min(q, 0.5)) + (q > 0.5 ? part(0.5, q) : 0);
    }
};
using SpatialKernels = testing::Types<CubicSpline<3>, WendlandC2<3>, WendlandC4<3>>;
TYPED_TEST_SUITE(KernelGravityOf, SpatialKernels);

constexpr double distances[] = {0.05, 0.2, 0.45, 0.55, 0.8, 0.99, 1};

TYPED_TEST(KernelGravityOf, pulls_by_the_mass_within) {
    for (const double q : distances)
        EXPECT_NEAR(KernelGravity<TypeParam>::pull(q, 1 / q), this->mass_within(q) / (q * q * q), 1e-8) << "at " << q;
    EXPECT_NEAR(KernelGravity<TypeParam>::pull(0.0, 0.0),
                4 * std::numbers::pi / 3 * TypeParam::norm * TypeParam::value(0.0), 1e-12);
}

TYPED_TEST(KernelGravityOf, pulls_down_the_slope_of_its_depth) {
    constexpr double step = 1e-5;
    const auto depth = [](double q) { return KernelGravity<TypeParam>::depth(q, 1 / q); };
    for (const double q : distances)
        EXPECT_NEAR(KernelGravity<TypeParam>::pull(q, 1 / q) * q, (depth(q - step) - depth(q + step)) / (2 * step),
                    1e-8)
            << "at " << q;
}

TYPED_TEST(KernelGravityOf, is_that_of_a_point_from_its_edge_on) {
    EXPECT_NEAR(KernelGravity<TypeParam>::pull(1.0, 1.0), 1, 1e-13);
    EXPECT_NEAR(KernelGravity<TypeParam>::depth(1.0, 1.0), 1, 1e-13);
}

TYPED_TEST(KernelGravityOf, keeps_its_digits_in_single_precision) {
    for (const double q : distances) {
        const auto single = static_cast<float>(q);
        EXPECT_NEAR(KernelGravity<TypeParam>::pull(single, 1 / single), KernelGravity<TypeParam>::pull(q, 1 / q), 3e-5);
        EXPECT_NEAR(KernelGravity<TypeParam>::depth(single, 1 / single), KernelGravity<TypeParam>::depth(q, 1 / q),
                    3e-6);
    }
}

}  // namespace trellis::kernel_gravity_test
