// Moments of a leaf (P2M), and the field that they give at a target by either way (M2L and L2P, M2P).
#include <gtest/gtest.h>

#include "trellis/forces/gravity/gravity.hpp"
#include "trellis/forces/tree/expansions/l2p.hpp"
#include "trellis/forces/tree/kernels/far_cells.hpp"
#include "unit/forces/tree/kernels/one_leaf.hpp"

namespace trellis::far_field_test {

using Vec = Vec3<double>;

// An interaction whose cells have dipoles, since their centres need not be those of their strength.
struct Coulomb : Gravity {
    static constexpr bool strength_has_one_sign = false;
};
constexpr Coulomb coulomb{{{0}, 1}};

TEST(MomentsOfLeaves, are_sums_over_their_particles) {
    for (const std::uint32_t count : {1U, 2U, 7U, 33U}) {
        const Vec centre{4, -3, 2};
        const OneLeaf<3> given(count, centre);
        Terms<double, 3> expected{};
        for (const Vec& place : given.positions()) {
            const auto power = powers<3>((place - centre) / 0.5);
            for (std::size_t m = 0; m < expected.size(); ++m) expected[m] += power[m];
        }
        for (std::size_t m = 0; m < expected.size(); ++m)
            EXPECT_NEAR(given.moments()[m], expected[m], 1e-13 * count) << count << " particles, term " << m;
    }
}

void expect_near(const FieldValue<double>& value, const FieldValue<double>& exact, double error) {
    EXPECT_NEAR(value.phi, exact.phi, error * exact.phi);
    for (std::size_t axis = 0; axis < 3; ++axis) EXPECT_NEAR(value.gradient[axis], exact.gradient[axis], error * 3);
}

TEST(LocalOfCells, has_the_field_of_their_particles) {
    const OneLeaf<5> given(9, {4, -3, 2});
    const std::uint32_t far[] = {given.leaf};
    Terms<double, 5> local{};
    add_local_of_cells<5>(coulomb, SplitPosition<double>(Vec{0, 0, 0}), 0.5, 0.0, far, given.rows(), local.data());
    for (const Vec& y : {Vec{0, 0, 0}, {0.2, 0.1, -0.3}}) {
        FieldValue<double> value = evaluate_local<5>(local, y);
        value.gradient /= 0.5;  // unit of the target
        expect_near(value, given.field_at(0.5 * y), 1e-4);
    }
}

TEST(FieldOfCells, is_that_of_their_particles) {
    const OneLeaf<5> given(9, {4, -3, 2});
    const std::uint32_t cells[] = {given.leaf};
    const Vec place{0.1, 0.2, -0.3};
    const double* no_softenings = nullptr;
    FieldValue<Vector<double>> sum{};
    add_field_of_cells<5>(coulomb, SplitPosition<double>(Vec{0, 0, 0}), cells, given.rows(),
                          {&place.x, &place.y, &place.z}, no_softenings, 1, &sum);
    const auto total = [](const Vector<double>& lanes_of) { return sum_of_lanes<double>(lanes_of); };
    expect_near({total(sum.phi), {total(sum.gradient.x), total(sum.gradient.y), total(sum.gradient.z)}},
                given.field_at(place), 1e-4);
}

}  // namespace trellis::far_field_test
