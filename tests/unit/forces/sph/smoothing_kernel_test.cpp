#include "trellis/forces/sph/kernels/smoothing_kernel.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "trellis/forces/sph/smoothing_length.hpp"
#include "unit/forces/sph/kernels.hpp"

namespace trellis::smoothing_kernel_test {

template <class Kernel>
class SmoothingKernel : public testing::Test {};
TYPED_TEST_SUITE(SmoothingKernel, AllKernels);

TYPED_TEST(SmoothingKernel, has_an_integral_of_one) {
    constexpr int dim = TypeParam::dimensions, steps = 20000;
    double integral = 0;
    for (int k = 0; k < steps; ++k) {  // shells: the ball of radius q has the volume unit_ball(d) q^d
        const double inner = static_cast<double>(k) / steps, outer = (k + 1.0) / steps;
        integral += unit_ball(dim) * (power<dim>(outer) - power<dim>(inner)) * TypeParam::value((inner + outer) / 2);
    }
    EXPECT_NEAR(TypeParam::norm * integral, 1, 1e-7);
}

TYPED_TEST(SmoothingKernel, has_the_gradient_of_its_values) {
    constexpr double step = 1e-5;
    for (const double q : {0.01, 0.1, 0.3, 0.499, 0.501, 0.7, 0.99}) {
        const double slope = (TypeParam::value(q + step) - TypeParam::value(q - step)) / (2 * step);
        EXPECT_NEAR(TypeParam::gradient(q, 1 / q), slope / q, 1e-8 / q) << "at " << q;
    }
}

TYPED_TEST(SmoothingKernel, has_the_curvature_of_its_values) {
    constexpr double step = 1e-5;
    for (const double q : {0.01, 0.1, 0.3, 0.499, 0.501, 0.7, 0.99}) {
        const auto slope = [](double at) { return at * TypeParam::gradient(at, 1 / at); };
        EXPECT_NEAR(TypeParam::curvature(q), (slope(q + step) - slope(q - step)) / (2 * step), 1e-6) << "at " << q;
    }
}

TYPED_TEST(SmoothingKernel, ends_at_the_radius_of_its_support) {
    EXPECT_GT(TypeParam::value(0.999), 0);
    for (const double q : {1.0, 1.5, 30.0}) {
        EXPECT_EQ(TypeParam::value(q), 0);
        EXPECT_EQ(TypeParam::gradient(q, 1 / q), 0);
        EXPECT_EQ(TypeParam::curvature(q), 0);
    }
}

TYPED_TEST(SmoothingKernel, falls_from_its_centre_on) {
    EXPECT_LT(TypeParam::gradient(0.0, 0.0), 0) << "rsqrt gives 0 for 1 / 0";
    for (double q = 0; q < 0.99; q += 0.01) EXPECT_GT(TypeParam::value(q), TypeParam::value(q + 0.01));
}

TYPED_TEST(SmoothingKernel, keeps_its_digits_in_single_precision) {
    for (const double q : {0.001, 0.1, 0.3, 0.6, 0.9}) {
        const double value = TypeParam::value(q), gradient = TypeParam::gradient(q, 1 / q);
        const auto q_single = static_cast<float>(q);
        EXPECT_NEAR(TypeParam::value(q_single), value, 3e-7 * TypeParam::value(0.0));
        EXPECT_NEAR(TypeParam::gradient(q_single, 1 / q_single), gradient,
                    3e-7 * std::abs(TypeParam::gradient(0.0, 0.0)));
    }
}

}  // namespace trellis::smoothing_kernel_test
