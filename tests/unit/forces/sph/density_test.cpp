#include "trellis/forces/sph/kernels/density.hpp"

#include <gtest/gtest.h>

#include "unit/forces/sph/gas.hpp"
#include "unit/forces/sph/kernels.hpp"

namespace trellis::density_test {

using namespace fields;

template <class Kernel>
class DensityOf : public testing::Test {
  protected:
    static constexpr int dim = Kernel::dimensions;
    static auto sums(const ParticleSet& gas) { return all_pairs(DensitySum<Kernel>(), gas); }
};
TYPED_TEST_SUITE(DensityOf, AllKernels);

TYPED_TEST(DensityOf, a_lattice_is_that_of_the_lattice) {
    constexpr int dim = TestFixture::dim;
    ParticleSet gas = lattice<dim>(10);
    gas.set_region(unit_box<dim>);
    for (double& h : gas[smoothing_length]) h = 0.32;
    for (const auto& sum : this->sums(gas)) EXPECT_NEAR(sum[density], 1, 0.015);
}

TYPED_TEST(DensityOf, one_particle_alone_is_its_own) {
    ParticleSet gas = lattice<TestFixture::dim>(1);
    gas[smoothing_length][0] = 0.5;
    const auto sum = this->sums(gas)[0];
    EXPECT_DOUBLE_EQ(sum[density], TypeParam::norm * TypeParam::value(0.0) / power<TestFixture::dim>(0.5));
    EXPECT_NEAR(omega(TestFixture::dim, 0.5, sum[density], sum[density_slope]), 0, 1e-14);
}

TYPED_TEST(DensityOf, particles_has_the_slope_of_a_changed_length) {
    constexpr double step = 1e-5;
    ParticleSet gas = random_gas<TestFixture::dim>(50, 1);
    const auto at = [&](double h) {
        for (double& length : gas[smoothing_length]) length = h;
        return this->sums(gas);
    };
    const auto here = at(0.3), less = at(0.3 - step), more = at(0.3 + step);
    for (std::size_t row = 0; row < gas.size(); ++row) {
        const double slope = (more[row][density] - less[row][density]) / (2 * step);
        EXPECT_NEAR(here[row][density_slope], slope, 1e-6 * here[row][density] / 0.3);
        EXPECT_GE(omega(TestFixture::dim, 0.3, here[row][density], here[row][density_slope]), 0);
        const double curvature = (more[row][density_slope] - less[row][density_slope]) / (2 * step);
        EXPECT_NEAR(here[row][density_curvature], curvature, 2e-3 * here[row][density] / (0.3 * 0.3));
    }
}

}  // namespace trellis::density_test
