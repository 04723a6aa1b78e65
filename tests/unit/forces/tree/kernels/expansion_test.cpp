// Powers and derivatives, on plain doubles.
#include "trellis/forces/tree/expansions/expansion.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace trellis::expansion_test {

using Vec = Vec3<double>;
constexpr int order = 5;
using Expansion = Terms<double, order>;

double factorial(int n) { return std::tgamma(n + 1); }

double power(const Vec& y, const Power& p) { return std::pow(y.x, p.x) * std::pow(y.y, p.y) * std::pow(y.z, p.z); }

TEST(Powers, are_over_their_factorials) {
    const Vec y{0.3, -1.7, 2.2};
    const auto all = powers<order>(y);
    for (int k = 0; k < terms(order); ++k) {
        const Power p = power_of(k);
        const double expected = power(y, p) / (factorial(p.x) * factorial(p.y) * factorial(p.z));
        EXPECT_NEAR(all[static_cast<std::size_t>(k)], expected, 1e-14 * std::abs(expected)) << "term " << k;
    }
}

// The derivatives of f(r) = 1 / r.
Expansion derivatives_at(const Vec& d) {
    const double r2 = dot(d, d);
    std::array<double, order + 1> g{1 / std::sqrt(r2)};
    for (std::size_t n = 0; n < order; ++n) g[n + 1] = -(2.0 * static_cast<double>(n) + 1) / r2 * g[n];
    return derivatives<order>(d, g);
}

double at(const Expansion& all, const Power& p) { return all[static_cast<std::size_t>(term_of(p))]; }

TEST(Derivatives, of_one_over_r_are_those_of_the_textbook) {
    const Vec d{1, -2, 3};
    const double r = std::sqrt(14);
    const Expansion all = derivatives_at(d);
    EXPECT_NEAR(at(all, {0, 0, 0}), 1 / r, 1e-15);
    EXPECT_NEAR(at(all, {0, 1, 0}), 2 / std::pow(r, 3), 1e-15);
    EXPECT_NEAR(at(all, {2, 0, 0}), 3 / std::pow(r, 5) - 1 / std::pow(r, 3), 1e-15);
    EXPECT_NEAR(at(all, {1, 1, 1}), -15 * 1 * -2 * 3 / std::pow(r, 7), 1e-15);
}

TEST(Derivatives, of_one_over_r_satisfy_laplaces_equation) {
    const Expansion all = derivatives_at({0.4, 0.7, -0.5});
    for (int k = 0; k < terms(order - 2); ++k) {
        const Power p = power_of(k);
        const double x = at(all, p + Power{2, 0, 0}), y = at(all, p + Power{0, 2, 0}), z = at(all, p + Power{0, 0, 2});
        EXPECT_NEAR(x + y + z, 0, 1e-12 * (std::abs(x) + std::abs(y) + std::abs(z)));
    }
}

TEST(Derivatives, are_taylors_coefficients) {
    const Vec d{1, -2, 3}, h{0.2, 0.1, -0.15};
    const Vec there = d + h;
    const Expansion all = derivatives_at(d), power = powers<order>(h);
    double sum = 0;
    for (std::size_t k = 0; k < all.size(); ++k) sum += all[k] * power[k];
    EXPECT_NEAR(sum, 1 / std::sqrt(dot(there, there)), 3e-8);
}

TEST(PowersOf, a_number) {
    const auto all = powers_of<4>(-2.0);
    EXPECT_EQ(all, (std::array<double, 5>{1, -2, 4, -8, 16}));
}

TEST(AtOrder, hands_the_order_on_as_a_constant) {
    for (int order = 2; order <= highest_order; ++order)
        EXPECT_EQ(at_order(order, [](auto constant) { return terms(constant); }), terms(order));
}

}  // namespace trellis::expansion_test
