#include "trellis/forces/gravity/periodic/ewald.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <vector>

#include "unit/particle_models.hpp"

namespace trellis::ewald_test {

using Positions = std::vector<Vec3<double>>;

LatticeField field_at(const Vec3<double>& target, const Positions& positions, const std::vector<double>& strengths,
                      double widening = 0, std::int64_t self = -1, double period = 1) {
    return lattice_sum({positions, strengths, {}}, target, widening, self, {period, period, period});
}

LatticeField field_of_one(const Vec3<double>& d, double widening) { return field_at({0, 0, 0}, {d}, {1}, widening); }

// The positions of a simple cubic lattice, `along` of them along each axis of the unit cube.
Positions lattice(int along) {
    Positions positions;
    for (int x = 0; x < along; ++x)
        for (int y = 0; y < along; ++y)
            for (int z = 0; z < along; ++z) positions.push_back(Vec3<double>{1.0 * x, 1.0 * y, 1.0 * z} / along);
    return positions;
}

TEST(Ewald, has_the_Madelung_constant_of_rock_salt) {
    Positions ions = lattice(2);
    std::vector<double> charges;
    for (Vec3<double>& ion : ions) {
        ion *= 2;  // neighbours are at distance 1
        charges.push_back(std::lround(ion.x + ion.y + ion.z) % 2 == 0 ? 1 : -1);
    }
    for (std::size_t ion = 0; ion < ions.size(); ++ion) {
        const LatticeField field = field_at(ions[ion], ions, charges, 0, static_cast<std::int64_t>(ion), 2);
        EXPECT_NEAR(field.value * charges[ion], -1.7475645946332, 1e-11);
        for (std::size_t axis = 0; axis < 3; ++axis) EXPECT_NEAR(field.gradient[axis], 0, 1e-11);
    }
}

TEST(Ewald, has_the_constant_of_a_cubic_lattice_of_charges_in_their_background) {
    EXPECT_NEAR(field_at({0.3, 0.4, 0.9}, {{0.3, 0.4, 0.9}}, {1}, 0, 0).value, -2.837297479480, 1e-11);
}

TEST(Ewald, has_no_net_force_in_a_cubic_lattice) {
    const Positions positions = lattice(5);
    const std::vector<double> strengths(positions.size(), 1);
    for (const double widening : {0.0, 1e-3}) {
        const Vec3<double> net = field_at(positions[7], positions, strengths, widening, 7).gradient;
        for (std::size_t axis = 0; axis < 3; ++axis) EXPECT_NEAR(net[axis], 0, widening == 0 ? 1e-10 : 1e-5);
    }
}

TEST(Ewald, has_a_gradient_that_is_the_slope_of_its_value) {
    models::Random random(1);
    for (const double widening : {0.0, 1e-2})
        for (int k = 0; k < 20; ++k) {
            const Vec3<double> d = random.in_cube() - Vec3<double>{0.5, 0.5, 0.5};
            constexpr double h = 1e-4;
            for (std::size_t axis = 0; axis < 3; ++axis) {
                Vec3<double> up = d, down = d;
                up[axis] += h;
                down[axis] -= h;
                const double slope = (field_of_one(up, widening).value - field_of_one(down, widening).value) / (2 * h);
                EXPECT_NEAR(field_of_one(d, widening).gradient[axis], slope, 1e-4 * (1 + std::abs(slope)));
            }
        }
}

// All boxes hold the same lattice.
TEST(Ewald, is_that_of_a_cube_in_boxes_of_several_cubes) {
    const Vec3<double> at{0.3, -0.4, 0.9};
    for (const double widening : {0.0, 1e-3}) {
        const LatticeField cube = field_at(at, {{0, 0, 0}}, {1}, widening);
        for (const std::array<int, 3> along : {std::array{1, 1, 2}, std::array{3, 1, 1}, std::array{4, 1, 2}}) {
            Positions positions;
            for (int x = 0; x < along[0]; ++x)
                for (int y = 0; y < along[1]; ++y)
                    for (int z = 0; z < along[2]; ++z) positions.push_back({1.0 * x, 1.0 * y, 1.0 * z});
            const std::vector<double> strengths(positions.size(), 1);
            const LatticeField field = lattice_sum({positions, strengths, {}}, at, widening, -1,
                                                   {1.0 * along[0], 1.0 * along[1], 1.0 * along[2]});
            // Softened images are taken by the series from other distances on, and the constant of 1 / r^3 is another.
            for (std::size_t axis = 0; axis < 3; ++axis)
                EXPECT_NEAR(field.gradient[axis], cube.gradient[axis], widening == 0 ? 4e-11 : 1e-5);
            EXPECT_NEAR(field.value, cube.value, widening == 0 ? 4e-11 : 0.1);
        }
    }
}

// Any image may be taken for the nearest, up to the error of the series in the softening.
TEST(Ewald, is_its_far_part_and_the_27_nearest_images) {
    models::Random random(2);
    constexpr double widening = 1e-4;
    for (int k = 0; k < 20; ++k) {
        const Vec3<double> d = 2.5 * random.in_cube() - Vec3<double>{1.25, 1.25, 1.25};
        FarLattice far{};
        far_lattice({&d, 1}, all_periodic, {&far, 1});
        double sum = far.points - 0.5 * widening * far.cubes;
        for (int x = -1; x <= 1; ++x)
            for (int y = -1; y <= 1; ++y)
                for (int z = -1; z <= 1; ++z) {
                    const Vec3<double> image = d + Vec3<double>{1.0 * x, 1.0 * y, 1.0 * z};
                    sum += 1 / std::sqrt(dot(image, image) + widening);
                }
        EXPECT_NEAR(field_of_one(d, widening).value, sum, 1e-7);
    }
}

}  // namespace trellis::ewald_test
