#include "trellis/forces/sph/smoothing_length.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "unit/forces/sph/gas.hpp"
#include "unit/forces/sph/kernels.hpp"

namespace trellis::smoothing_length_test {

using namespace fields;

// Searches all smoothing lengths from the present ones; returns the number of density sums.
template <class Kernel>
int search_lengths(ParticleSet& gas, double neighbours) {
    constexpr int dim = Kernel::dimensions;
    std::vector<LengthSearch> searches(gas.size(), LengthSearch(dim));
    std::vector<bool> found(gas.size());
    for (int sweeps = 1; sweeps < 100; ++sweeps) {
        const auto sums = all_pairs(DensitySum<Kernel>(), gas);
        bool all = true;
        for (std::size_t row = 0; row < gas.size(); ++row) {
            double& h = gas[smoothing_length][row];
            const double rho = sums[row][density], filled = filling(dim, h, rho, gas[mass][row], neighbours);
            const double omega_here = omega(dim, h, rho, sums[row][density_slope]);
            if (found[row] || searches[row].converged(filled, omega_here)) continue;
            if (searches[row].is_near(filled, omega_here)) {
                const DensityByLength summed{h, rho, sums[row][density_slope], sums[row][density_curvature]};
                h = solved_near(summed, dim, gas[mass][row], neighbours).h;
                found[row] = true;
                continue;
            }
            h = searches[row].next(h, filled, omega_here);
            all = false;
        }
        if (all) return sweeps;
    }
    return 100;
}

template <class Kernel>
class SmoothingLengths : public testing::Test {};
TYPED_TEST_SUITE(SmoothingLengths, AllKernels);

TYPED_TEST(SmoothingLengths, are_those_of_bisection_from_wherever_the_search_begins) {
    constexpr int dim = TypeParam::dimensions;
    ParticleSet gas = random_gas<dim>(60, 2);
    solve_lengths<TypeParam>(gas, enough<dim>);
    const std::vector<double> solved(gas[smoothing_length].begin(), gas[smoothing_length].end());
    struct Begin {
        double factor;
        int sweeps;
    };
    for (const auto& begin : {Begin{1.05, 6}, Begin{0.5, 20}, Begin{0.01, 40}, Begin{20, 40}}) {
        for (std::size_t row = 0; row < gas.size(); ++row) gas[smoothing_length][row] = begin.factor * solved[row];
        EXPECT_LE(search_lengths<TypeParam>(gas, enough<dim>), begin.sweeps) << "from " << begin.factor;
        for (std::size_t row = 0; row < gas.size(); ++row)
            EXPECT_NEAR(gas[smoothing_length][row], solved[row], 1e-6 * solved[row]) << "from " << begin.factor;
    }
}

TEST(SmoothingLength, of_a_smooth_gas_takes_two_sums_from_one_percent_off_and_one_from_near) {
    using Kernel = WendlandC2<3>;
    ParticleSet gas = lattice<3>(5);
    solve_lengths<Kernel>(gas, 50);
    for (double& h : gas[smoothing_length]) h *= 1.01;
    EXPECT_EQ(search_lengths<Kernel>(gas, 50), 2);
    for (double& h : gas[smoothing_length]) h *= 1.00025;
    EXPECT_EQ(search_lengths<Kernel>(gas, 50), 1);
}

// The density and its slope, not summed again, as they are at the length that was found near.
TYPED_TEST(SmoothingLengths, near_by_come_with_the_density_there) {
    constexpr int dim = TypeParam::dimensions;
    ParticleSet gas = random_gas<dim>(60, 2);
    solve_lengths<TypeParam>(gas, enough<dim>);
    for (double& h : gas[smoothing_length]) h *= 1.00025;
    const auto sums = all_pairs(DensitySum<TypeParam>(), gas);
    std::vector<DensityByLength> found;
    for (std::size_t row = 0; row < gas.size(); ++row) {
        double& h = gas[smoothing_length][row];
        const DensityByLength summed{h, sums[row][density], sums[row][density_slope], sums[row][density_curvature]};
        found.push_back(solved_near(summed, dim, gas[mass][row], enough<dim>));
        h = found.back().h;
        EXPECT_NEAR(filling(dim, h, found.back().rho, gas[mass][row], enough<dim>), 1, 1e-11);
    }
    const auto exact = all_pairs(DensitySum<TypeParam>(), gas);
    for (std::size_t row = 0; row < gas.size(); ++row) {
        const double rho = exact[row][density];
        EXPECT_NEAR(found[row].rho, rho, 1e-7 * rho);
        EXPECT_NEAR(found[row].slope, exact[row][density_slope], 1e-5 * rho / found[row].h);
    }
}

TEST(SmoothingLength, reaches_across_a_gap) {
    using Kernel = CubicSpline<3>;
    ParticleSet gas = random_gas<3>(100, 3);
    gas[position][0] = {40, 0, 0};
    for (double& h : gas[smoothing_length]) h = 0.3;
    EXPECT_LE(search_lengths<Kernel>(gas, 30), 60);
    const double h = gas[smoothing_length][0];
    const double rho = all_pairs(DensitySum<Kernel>(), gas)[0][density];
    EXPECT_GT(h, 39);
    EXPECT_NEAR(filling(3, h, rho, gas[mass][0], 30), 1, 1e-5);
}

TEST(SmoothingLength, is_predicted_from_how_gas_expands) {
    // A ball that grows as the gas does has the same number of neighbours.
    EXPECT_NEAR(predicted_length(3, 0.5, 0.6, 0.01), 0.5 * std::cbrt(std::exp(0.6 * 0.01)), 1e-15);
    EXPECT_NEAR(predicted_length(1, 0.5, -0.6, 0.01), 0.5 * std::exp(-0.6 * 0.01), 1e-15);
    EXPECT_EQ(predicted_length(2, 0.5, 0.6, 0), 0.5);
    EXPECT_LT(predicted_length(3, 0.5, 1e9, 1), 0.6);
}

TEST(SmoothingLength, is_asked_for_as_a_number_of_neighbours_or_by_eta) {
    // Particles half a unit of length from each other: rho = 1, mass = 1 / 8.
    EXPECT_NEAR(filling(3, 2.4 * 0.5, 1, 0.125, neighbours_of(3, 2.4)), 1, 1e-15);
    EXPECT_NEAR(neighbours_of(3, 2.4), 57.906, 1e-3);
    EXPECT_NEAR(neighbours_of(2, 3), 28.274, 1e-3);
    EXPECT_EQ(neighbours_of(1, 3), 6);
}

TYPED_TEST(SmoothingLengths, have_no_bound_from_below_for_fewer_neighbours_than_a_particle_alone_counts_for) {
    constexpr int dim = TypeParam::dimensions;
    ParticleSet gas = lattice<dim>(1);
    for (double& h : gas[smoothing_length]) h = 1e-5;
    const double rho = all_pairs(DensitySum<TypeParam>(), gas)[0][density];
    EXPECT_NEAR(filling(dim, 1e-5, rho, gas[mass][0], fewest_neighbours(shape_of<TypeParam>())), 1, 1e-14);
}

}  // namespace trellis::smoothing_length_test
