#include "trellis/forces/sph/kernels/velocity_gradient.hpp"

#include <gtest/gtest.h>

#include "unit/forces/sph/gas.hpp"
#include "unit/forces/sph/kernels.hpp"

namespace trellis::velocity_gradient_test {

using namespace fields;

template <class Kernel>
class VelocityGradientOf : public testing::Test {
  protected:
    static constexpr int dim = Kernel::dimensions;
    static auto gradients(const ParticleSet& gas) { return all_pairs(VelocityGradient<Kernel>(), gas); }
};
TYPED_TEST_SUITE(VelocityGradientOf, AllKernels);

TYPED_TEST(VelocityGradientOf, a_moving_gas_is_how_its_density_changes) {
    constexpr int dim = TestFixture::dim;
    constexpr double step = 1e-6;
    ParticleSet gas = random_gas<dim>(60, 4);
    const auto densities_at = [&](double time) {
        ParticleSet moved = random_gas<dim>(60, 4);
        for (std::size_t row = 0; row < gas.size(); ++row) moved[position][row] += time * gas[velocity][row];
        solve_lengths<TypeParam>(moved, enough<dim>);
        return std::vector<double>(moved[density].begin(), moved[density].end());
    };
    solve_lengths<TypeParam>(gas, enough<dim>);
    complete<TypeParam>(gas, IdealGas());
    const auto gradients = this->gradients(gas);
    const auto before = densities_at(-step), after = densities_at(step);
    for (std::size_t row = 0; row < gas.size(); ++row) {
        const double growth = (after[row] - before[row]) / (2 * step * gas[density][row]);
        EXPECT_NEAR(gradients[row][velocity_divergence], -growth, 1e-6 * std::max(1.0, std::abs(growth)));
    }
}

TYPED_TEST(VelocityGradientOf, a_rotating_and_growing_gas_has_its_curl_and_divergence) {
    constexpr int dim = TestFixture::dim;
    constexpr std::size_t side = 9;
    ParticleSet gas = lattice<dim>(side);
    for (double& h : gas[smoothing_length]) h = 0.39;
    const Vec3<double> spin = dim == 3 ? Vec3<double>{1, 2, 3} : Vec3<double>{0, 0, dim == 2 ? 3.0 : 0.0};
    for (std::size_t row = 0; row < gas.size(); ++row) {
        const Vec3<double> r = gas[position][row];
        gas[velocity][row] = cross(spin, r) + 0.5 * r;
    }
    complete<TypeParam>(gas, IdealGas());
    const auto middle = this->gradients(gas)[gas.size() / 2];  // a particle further than h from all walls
    EXPECT_NEAR(middle[velocity_divergence], 0.5 * dim, 0.03 * dim);
    const Vec3<double> wrong = middle[velocity_curl] - 2.0 * spin;
    EXPECT_NEAR(std::sqrt(dot(wrong, wrong)), 0, 0.05 * std::sqrt(dot(spin, spin)));
}

TEST(VelocityGradientOfFew, counts_who_is_within_reach) {
    ParticleSet gas = lattice<1>(10);
    for (double& h : gas[smoothing_length]) h = 0.25;
    complete<CubicSpline<1>>(gas, IdealGas());
    const auto sums = all_pairs(VelocityGradient<CubicSpline<1>>(), gas);
    EXPECT_EQ(sums[0][neighbour_number], 2);
    EXPECT_EQ(sums[1][neighbour_number], 3);
    EXPECT_EQ(sums[5][neighbour_number], 4);
}

}  // namespace trellis::velocity_gradient_test
