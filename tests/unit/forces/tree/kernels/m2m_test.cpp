#include "trellis/forces/tree/expansions/m2m.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "unit/particle_models.hpp"

namespace trellis::m2m_test {

using Vec = Vec3<double>;
constexpr int order = 5;
using Expansion = Terms<double, order>;

// Moments about a centre, in the given unit of length.
Expansion moments(const std::vector<Vec>& positions, const Vec& centre, double unit) {
    Expansion sum{};
    for (std::size_t j = 0; j < positions.size(); ++j) {
        const auto power = powers<order>((positions[j] - centre) / unit);
        for (std::size_t m = 0; m < sum.size(); ++m) sum[m] += (1.0 + static_cast<double>(j)) * power[m];
    }
    return sum;
}

TEST(ShiftMultipole, gives_the_moments_about_the_new_centre) {
    models::Random random(1);
    std::vector<Vec> positions;
    for (int j = 0; j < 5; ++j) positions.push_back(random.in_cube());
    const Vec from{0.5, 0.4, 0.6}, to{-0.2, 0.3, 0.9};
    const double from_unit = 0.5, to_unit = 0.8;
    const Expansion child = moments(positions, from, from_unit), expected = moments(positions, to, to_unit);
    Expansion shifted{};
    shift_multipole<order>(child.data(), (from - to) / to_unit, from_unit / to_unit, shifted.data());
    for (std::size_t m = 0; m < shifted.size(); ++m)
        EXPECT_NEAR(shifted[m], expected[m], 1e-13 * (1 + std::abs(expected[m])));
}

}  // namespace trellis::m2m_test
