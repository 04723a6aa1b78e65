// Expansions, on plain doubles.
#include "trellis/forces/expansion.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "unit/particle_models.hpp"

namespace trellis {
namespace {

using Vec = Vec3<double>;
constexpr int order = 5;
using Expansion = Terms<double, order>;

double factorial(int n) { return std::tgamma(n + 1); }

double power(const Vec& y, const Power& p) { return std::pow(y.x, p.x) * std::pow(y.y, p.y) * std::pow(y.z, p.z); }

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

TEST(Powers, are_over_their_factorials) {
    const Vec y{0.3, -1.7, 2.2};
    const auto all = powers<order>(y);
    for (int k = 0; k < terms(order); ++k) {
        const Power p = power_of(k);
        const double expected = power(y, p) / (factorial(p.x) * factorial(p.y) * factorial(p.z));
        EXPECT_NEAR(all[static_cast<std::size_t>(k)], expected, 1e-14 * std::abs(expected)) << "term " << k;
    }
}

// Of f(r) = 1 / r.
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
    EXPECT_NEAR(evaluate_local<order>(derivatives_at(d), h).phi, 1 / std::sqrt(dot(there, there)), 3e-8);
}

// Moments about a centre, in a unit.
Expansion moments(const std::vector<Vec>& places, const Vec& centre, double unit) {
    Expansion sum{};
    for (std::size_t j = 0; j < places.size(); ++j) {
        const auto power = powers<order>((places[j] - centre) / unit);
        for (std::size_t m = 0; m < sum.size(); ++m) sum[m] += (1.0 + static_cast<double>(j)) * power[m];
    }
    return sum;
}

TEST(ShiftMultipole, gives_the_moments_about_the_new_centre) {
    models::Random random(1);
    std::vector<Vec> places;
    for (int j = 0; j < 5; ++j) places.push_back(random.in_cube());
    const Vec from{0.5, 0.4, 0.6}, to{-0.2, 0.3, 0.9};
    const double from_unit = 0.5, to_unit = 0.8;
    const Expansion child = moments(places, from, from_unit), expected = moments(places, to, to_unit);
    Expansion shifted{};
    shift_multipole<order>(child.data(), (from - to) / to_unit, from_unit / to_unit, shifted.data());
    for (std::size_t m = 0; m < shifted.size(); ++m)
        EXPECT_NEAR(shifted[m], expected[m], 1e-13 * (1 + std::abs(expected[m])));
}

Expansion any_local() {
    models::Random random(2);
    Expansion local;
    for (double& coefficient : local) coefficient = random.uniform(-1, 1);
    return local;
}

TEST(ShiftLocal, gives_the_same_polynomial_about_the_new_centre) {
    const Expansion local = any_local();
    const Vec offset{0.3, -0.4, 0.2};
    const double ratio = 0.6;
    const Expansion shifted = shift_local<order>(local, offset, ratio);
    for (const Vec& y : {Vec{0, 0, 0}, {0.5, 0.1, -0.3}, {-1, 0.4, 1}}) {
        const auto before = evaluate_local<order>(local, offset + ratio * y), after = evaluate_local<order>(shifted, y);
        EXPECT_NEAR(after.phi, before.phi, 1e-14);
        EXPECT_NEAR(after.gradient.x, ratio * before.gradient.x, 1e-14);
        EXPECT_NEAR(after.gradient.y, ratio * before.gradient.y, 1e-14);
        EXPECT_NEAR(after.gradient.z, ratio * before.gradient.z, 1e-14);
    }
}

TEST(EvaluateLocal, has_the_slope_of_its_potential_for_gradient) {
    const Expansion local = any_local();
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

TEST(PowersOf, a_number) {
    const auto all = powers_of<4>(-2.0);
    EXPECT_EQ(all, (std::array<double, 5>{1, -2, 4, -8, 16}));
}

}  // namespace
}  // namespace trellis
