// Lattice sums with open axes, compared with sums over many images.
#include "trellis/forces/gravity/periodic/open_lattice.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "trellis/forces/gravity/periodic/ewald.hpp"
#include "trellis/particles/region.hpp"
#include "unit/forces/tree/compared_force.hpp"
#include "unit/particle_models.hpp"

namespace trellis::open_lattice_test {

constexpr double open = Region::infinity;

std::vector<Vec3<double>> some_points() {
    models::Random random(3);
    std::vector<Vec3<double>> positions{{0.3, 0, 0}, {0, 0.4, 0}, {0, 0, 0.2}, {1e-3, 0.002, 0}, {0.4, 0.01, 0.03}};
    for (int k = 0; k < 6; ++k) positions.push_back(2.0 * (random.in_cube() - Vec3<double>{0.5, 0.5, 0.5}));
    return positions;
}

// The sum over images from -count to count, whose error falls as 1 / count^2.
Vec3<double> gradient_of_images(const Vec3<double>& d, double w, const Vec3<double>& sides, int count) {
    Vec3<double> sum{0, 0, 0};
    const auto most = [&](std::size_t axis) { return std::isfinite(sides[axis]) ? count : 0; };
    for (int x = -most(0); x <= most(0); ++x)
        for (int y = -most(1); y <= most(1); ++y)
            for (int z = -most(2); z <= most(2); ++z) {
                const Vec3<double> n{x == 0 ? 0 : x * sides.x, y == 0 ? 0 : y * sides.y, z == 0 ? 0 : z * sides.z};
                const double r2 = dot(d + n, d + n) + w;
                sum -= (d + n) / (r2 * std::sqrt(r2));
            }
    return sum;
}

TEST(OpenLattice, of_a_wire_has_the_force_of_many_images) {
    for (const double w : {0.0, 0.01})
        for (const Vec3<double>& d : some_points()) {
            const Vec3<double> sides{open, 1.3, open};
            const Vec3<double> found = open_lattice(d, w, sides, -1).gradient;
            EXPECT_LT(norm(found - gradient_of_images(d, w, sides, 20000)), 1e-8 * (1 + norm(found)));
        }
}

// Beyond a square of images there is a sheet: its field is the solid angle that the square leaves.
TEST(OpenLattice, of_a_sheet_has_the_force_of_many_images) {
    constexpr int count = 250;
    constexpr double side = 1, half = (count + 0.5) * side;
    for (const double w : {0.0, 0.01})
        for (const Vec3<double>& d : some_points()) {
            const Vec3<double> sides{side, side, open};
            const double height = std::sqrt(d.z * d.z + w);
            const double square = 4 * std::atan2(half * half, height * std::sqrt(2 * half * half + height * height));
            Vec3<double> expected = gradient_of_images(d, w, sides, count);
            if (height > 0) expected.z -= (2 * std::numbers::pi - square) * d.z / height;
            const Vec3<double> found = open_lattice(d, w, sides, -1).gradient;
            EXPECT_LT(std::abs(found.z - expected.z), 1e-6 * (1 + norm(found)));
            // Along the sheet what lacks falls as 1 / count: that of a cell at the edges.
            EXPECT_LT(norm(found - expected), 0.02 * (1 + norm(found)));
        }
}

// Whichever way the wires of a sheet lie: along the short side, or along the other of a square.
TEST(OpenLattice, of_a_sheet_is_the_same_along_both_axes) {
    for (const Vec3<double>& d : some_points()) {
        const OpenLatticeField found = open_lattice(d, 1e-3, {1, 1, open}, -1);
        const OpenLatticeField other = open_lattice({d.y, d.x, d.z}, 1e-3, {1, 1, open}, -1);
        EXPECT_NEAR(found.value, other.value, 1e-10 * (1 + std::abs(found.value)));
        EXPECT_LT(std::abs(found.gradient.x - other.gradient.y), 1e-10 * (1 + norm(found.gradient)));
        EXPECT_LT(std::abs(found.gradient.z - other.gradient.z), 1e-10 * (1 + norm(found.gradient)));
        const OpenLatticeField turned = open_lattice({d.z, d.x, d.y}, 1e-3, {open, 0.8, 1.1}, -1);
        const OpenLatticeField straight = open_lattice({d.x, d.y, d.z}, 1e-3, {0.8, 1.1, open}, -1);
        EXPECT_DOUBLE_EQ(turned.value, straight.value);
    }
}

TEST(OpenLattice, has_a_gradient_that_is_the_slope_of_its_value) {
    constexpr double step = 1e-5;
    for (const Vec3<double>& sides : {Vec3<double>{1, 1.4, open}, {1.4, open, 1}, {open, 1, open}})
        for (const int left_out : {-1, 1})
            for (const Vec3<double>& d : some_points()) {
                const OpenLatticeField found = open_lattice(d, 1e-3, sides, left_out);
                const double scale = 1e-8 * std::max(1.0, std::pow(norm(found.gradient), 2));
                for (std::size_t axis = 0; axis < 3; ++axis) {
                    Vec3<double> more = d, less = d;
                    more[axis] += step;
                    less[axis] -= step;
                    const double slope = (open_lattice(more, 1e-3, sides, left_out).value -
                                          open_lattice(less, 1e-3, sides, left_out).value) /
                                         (2 * step);
                    EXPECT_NEAR(found.gradient[axis], slope, scale);
                }
                const double wider = open_lattice(d, 1e-3 + step, sides, left_out).value;
                const double closer = open_lattice(d, 1e-3 - step, sides, left_out).value;
                EXPECT_NEAR(found.cubes, (closer - wider) / step, 1e2 * scale + 1e-3 * found.cubes);
            }
}

TEST(OpenLattice, goes_to_the_field_of_a_line_and_of_a_plane_far_away) {
    EXPECT_NEAR(open_lattice({0.2, 6, 8}, 0, {2, open, open}, -1).value, -std::log(5.0), 1e-11);
    EXPECT_NEAR(open_lattice({0.2, 9, 0.7}, 0, {2, open, 3}, -1).value, -2 * std::numbers::pi / 6 * 9, 1e-9);
}

// A sheet of rock salt (Borwein, Borwein & Taylor 1985: 4 (sqrt(2) - 1) zeta(1/2) beta(1/2)) and a row of ions (2 ln
// 2).
TEST(OpenLattice, has_the_Madelung_constants_of_a_square_and_of_a_row) {
    std::vector<Vec3<double>> positions{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}};
    const std::vector<double> charges{1, -1, -1, 1};
    EXPECT_NEAR(lattice_sum({positions, charges, {}}, positions[0], 0, 0, {2, 2, open}).value, -1.6155426267128, 1e-11);
    positions.resize(2);
    EXPECT_NEAR(lattice_sum({positions, std::span(charges).first(2), {}}, positions[0], 0, 0, {2, open, open}).value,
                -2 * std::numbers::ln2, 1e-11);
}

}  // namespace trellis::open_lattice_test
