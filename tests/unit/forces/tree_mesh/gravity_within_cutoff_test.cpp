#include "trellis/forces/tree_mesh/kernels/gravity_within_cutoff.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "trellis/mesh/split.hpp"

namespace trellis::gravity_within_cutoff_test {

constexpr double epsilon = 0.05, a = 3, G = 2;
GravityWithinCutoff gravity() { return {{epsilon * epsilon}, S2LongRange(a), a, G}; }

// The potential of two spheres of density falling linearly to 0 at a / 2, from its transform.
long double long_range(long double r) {
    const S2Split split{a};
    long double sum = 0;
    constexpr long double step = 0.002L;  // the integrand is even and smooth: the trapezium rule converges fast
    for (int n = 1; n < 200000; ++n) {
        const long double k = n * step;
        sum += step * split.filter(static_cast<double>(k)) * std::sin(k * r) / (k * r);
    }
    return 2 / std::numbers::pi_v<long double> * (sum + step / 2);
}

TEST(GravityWithinCutoff, is_softened_gravity_less_the_long_range_part) {
    for (const double r : {0.02, 0.2, 0.7, 1.3, 1.7, 2.2, 2.9}) {
        const auto expected = static_cast<double>(1 / std::sqrt(r * r + epsilon * epsilon) - long_range(r));
        EXPECT_NEAR((gravity().radial<1>(r * r, 1.0)[0]), expected, 1e-7 / r) << r;
    }
}

// tolerance: of g_n over that of 1/r. Pairs use g_0 and g_1, expansions all.
template <class T>
void check_derivatives(const std::array<double, 6>& tolerance) {
    const GravityWithinCutoff interaction = gravity();
    for (double r = 0.06; r < 0.99 * interaction.cutoff; r *= 1.07) {
        const auto single = interaction.radial<6>(static_cast<T>(r * r), static_cast<T>(0.25));
        double newton = 1 / r;
        for (std::size_t n = 0; n < 6; ++n) {
            // (1/r) d/dr of the derivative before, by differences of long double about r^2.
            const auto before = [&](long double r2) { return interaction.radial<6>(r2, 1.0L)[n - 1]; };
            if (n > 0) {
                const long double h = 1e-4L * r * r, r2 = static_cast<long double>(r) * r;
                const long double slope =
                    2 * (8 * (before(r2 + h) - before(r2 - h)) - (before(r2 + 2 * h) - before(r2 - 2 * h))) / (12 * h);
                EXPECT_NEAR(single[n] / std::pow(0.25, n), static_cast<double>(slope), tolerance[n] * newton)
                    << "g_" << n << " at " << r;
            }
            newton *= (2.0 * static_cast<double>(n) + 1) / (r * r);
        }
    }
}

TEST(GravityWithinCutoff, radial_derivatives_are_derivatives) {
    check_derivatives<double>({1e-9, 1e-9, 1e-9, 1e-9, 1e-9, 1e-9});
    check_derivatives<float>({1e-6, 3e-6, 3e-6, 5e-6, 1e-5, 2e-5});
}

TEST(GravityWithinCutoff, pairs_have_the_first_two_radial_derivatives) {
    const GravityWithinCutoff interaction = gravity();
    for (const double r : {0.01, 0.3, 1.4, 1.6, 2.8, 3.2, 3.6}) {
        Record<GravityWithinCutoff::Target, double> i;
        Record<GravityWithinCutoff::Source, double> j;
        Record<GravityWithinCutoff::Result, double> sum;
        i[fields::position] = {0, 0, 0};
        j[fields::position] = {0.6 * r, 0, -0.8 * r};
        j[fields::mass] = 3;
        sum[fields::potential] = 0;
        sum[fields::acceleration] = {0, 0, 0};
        interaction(i, j, sum);
        interaction.finish(sum);
        const auto g = interaction.radial<6>(r * r, 1.0);  // by other formulas
        EXPECT_NEAR(sum[fields::potential], -G * 3 * g[0], 1e-12 / r);
        EXPECT_NEAR(sum[fields::acceleration].x, -G * 3 * g[1] * 0.6 * r, 1e-12 / (r * r));
        EXPECT_EQ(g[0] == 0, r >= interaction.cutoff);
    }
}

// A particle's own field on the mesh, which is taken off its potential.
TEST(GravityWithinCutoff, split_knows_the_long_range_part_at_zero) {
    EXPECT_NEAR(S2LongRange(a).radial<1>(0.0, 1.0)[0], S2Split{a}.at_zero(), 1e-13);
}

}  // namespace trellis::gravity_within_cutoff_test
