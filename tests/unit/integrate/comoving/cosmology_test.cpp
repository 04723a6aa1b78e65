#include "trellis/integrate/comoving/cosmology.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "trellis/base/error.hpp"
#include "trellis/integrate/comoving/growth.hpp"
#include "trellis/integrate/comoving/quadrature.hpp"

namespace trellis::cosmology_test {
namespace {

// PKDGRAV3's units: G = 1 and a mean density of 1.
const Cosmology pkdgrav{.omega_m = 0.32, .H0 = std::sqrt(8 * std::numbers::pi / 3)};
const Cosmology einstein_de_sitter{.omega_m = 1, .H0 = 2.0 / 3};

#define EXPECT_SHARE(value, right, share) EXPECT_NEAR((value) / (right), 1, share)

// The values of PKDGRAV3's tests of its class SimpleCosmology, omega_matter = 0.32.
TEST(Cosmology, has_the_times_and_factors_of_pkdgrav3) {
    EXPECT_SHARE(pkdgrav.time(1), 0.32710340943409555, 1e-13);
    EXPECT_SHARE(pkdgrav.time(0.01), 0.00040716861571363553, 1e-13);
    EXPECT_SHARE(pkdgrav.scale_factor(0.012871250907720502), 0.1, 1e-13);
    EXPECT_SHARE(pkdgrav.hubble(0.01), 1637.3244723688608, 1e-14);
    const double begin = pkdgrav.scale_factor(0.1), end = pkdgrav.scale_factor(0.11);
    EXPECT_SHARE(pkdgrav.drift_factor(begin, end), 0.05912002238902069, 1e-12);
    EXPECT_SHARE(pkdgrav.kick_factor(begin, end), 0.024310129641862636, 1e-12);
}

// Its growth comes by a Runge-Kutta scheme of fixed steps, to some 1e-8.
TEST(Cosmology, has_the_growth_of_pkdgrav3) {
    const Growth today = growth(pkdgrav, 1), early = growth(pkdgrav, 0.1);
    EXPECT_SHARE(today.D1, 0.7906690062585626, 1e-7);
    EXPECT_SHARE(today.D2, -0.27011339275752816, 1e-7);
    EXPECT_SHARE(today.f1, 0.5318013708768904, 1e-7);
    EXPECT_SHARE(today.f2, 1.078089485168238, 1e-7);
    EXPECT_SHARE(early.D1, 0.09996140149711615, 1e-7);
    EXPECT_SHARE(early.f2, 1.9977298409632063, 2e-7);
}

TEST(Cosmology, of_matter_alone_follows_powers_of_time) {
    for (const double a : {0.01, 0.3, 1.0, 2.0}) {
        EXPECT_SHARE(einstein_de_sitter.time(a), std::pow(a, 1.5), 1e-13);
        EXPECT_SHARE(einstein_de_sitter.scale_factor(std::pow(a, 1.5)), a, 1e-13);
        EXPECT_SHARE(einstein_de_sitter.kick_factor(0.005, a), 3 * (std::sqrt(a) - std::sqrt(0.005)), 1e-12);
        EXPECT_SHARE(einstein_de_sitter.drift_factor(0.005, a), 3 / std::sqrt(0.005) - 3 / std::sqrt(a), 1e-12);
        const Growth now = growth(einstein_de_sitter, a);
        EXPECT_SHARE(now.D1, a, 1e-12);
        EXPECT_SHARE(now.f1, 1, 1e-12);
        EXPECT_SHARE(now.D2, -3.0 / 7 * a * a, 1e-12);
        EXPECT_SHARE(now.f2, 2, 1e-12);
    }
}

// Heath 1977: D1 = 5/2 omega_m H integral of da / (a H)^3, with curvature and a cosmological constant.
TEST(Cosmology, grows_as_heaths_integral_says) {
    for (const double omega_lambda : {0.0, 0.7, 0.9}) {
        const Cosmology curved{.omega_m = 0.3, .omega_lambda = omega_lambda, .H0 = 1};
        for (const double a : {0.02, 1.0}) {
            const auto in_log = [&](double x) { return std::exp(-2 * x) / std::pow(curved.hubble(std::exp(x)), 3); };
            const double sum = integral(in_log, std::log(1e-8), std::log(a), 0.25);
            EXPECT_SHARE(growth(curved, a).D1, 2.5 * 0.3 * curved.hubble(a) * sum, 1e-11) << omega_lambda;
        }
    }
}

// Meszaros 1974, where there is no dark energy and no curvature.
TEST(Cosmology, grows_slowly_where_radiation_outweighs_matter) {
    const Cosmology hot{.omega_m = 0.9, .omega_r = 0.1, .H0 = 1};
    for (const double a : {1e-4, 0.1, 1.0}) {
        EXPECT_SHARE(growth(hot, a).D1, a + 2.0 / 3 * 0.1 / 0.9, 1e-11);
        EXPECT_SHARE(growth(hot, a).f1, a / (a + 2.0 / 3 * 0.1 / 0.9), 1e-9);
    }
}

TEST(Cosmology, has_the_slope_of_its_hubble_rate) {
    const Cosmology all{.omega_m = 0.3, .omega_lambda = 0.6, .omega_r = 1e-3, .w0 = -0.8, .wa = 0.3, .H0 = 1};
    for (const double a : {0.01, 0.5, 1.0}) {
        const double slope = (std::log(all.hubble(a * 1.0001)) - std::log(all.hubble(a / 1.0001))) / 2e-4;
        EXPECT_NEAR(all.hubble_slope(a), slope, 1e-3) << a;
        EXPECT_NEAR(all.time(a * 1.001) - all.time(a), 1.001e-3 / all.hubble(a), 2e-3 / all.hubble(a) * 2e-3);
    }
}

TEST(Cosmology, refuses_what_does_not_expand) {
    EXPECT_THROW((Cosmology{.omega_m = 0}.check()), InputError);
    EXPECT_THROW((Cosmology{.w0 = -0.5, .wa = 0.6}.check()), InputError);
    EXPECT_THROW((Cosmology{.omega_m = 0.3, .omega_lambda = 2.0}.check()), InputError);  // it bounced
    EXPECT_THROW(einstein_de_sitter.hubble(0), InputError);
    const Cosmology closed{.omega_m = 2, .omega_lambda = 0.0};
    closed.check();
    EXPECT_THROW(closed.time(3), InputError);  // it turns around at a = 2
}

}  // namespace
}  // namespace trellis::cosmology_test
