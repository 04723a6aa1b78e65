#include "trellis/forces/tree/periodic/potential_lattice.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "trellis/base/error.hpp"
#include "unit/particle_models.hpp"

namespace trellis::potential_lattice_test {

// exp(-r / length) / r, and its slope over r.
PotentialLattice::Potential screened(double length) {
    return [length](double r2) -> std::array<double, 2> {
        const double r = std::sqrt(r2), value = std::exp(-r / length) / r;
        return {value, -value * (1 / r + 1 / length) / r};
    };
}

PotentialLattice::Potential power(double exponent) {
    return [exponent](double r2) -> std::array<double, 2> {
        const double value = std::pow(r2, -0.5 * exponent);
        return {value, -exponent * value / r2};
    };
}

double direct_sum(const PotentialLattice::Potential& potential, double side, const std::array<bool, 3>& periodic,
                  const Vec3<double>& at, int shells) {
    double sum = 0;
    const auto last = [&](std::size_t axis) { return periodic[axis] ? shells : 0; };
    for (int x = -last(0); x <= last(0); ++x)
        for (int y = -last(1); y <= last(1); ++y)
            for (int z = -last(2); z <= last(2); ++z) {
                if (std::abs(x) <= 1 && std::abs(y) <= 1 && std::abs(z) <= 1) continue;
                const Vec3<double> d = at + side * Vec3<double>{double(x), double(y), double(z)};
                sum += potential(dot(d, d))[0];
            }
    return sum;
}

struct Case {
    PotentialLattice::Potential potential;
    std::array<bool, 3> periodic;
    int shells;
    double error;  // over the potential at half a period
};

TEST(PotentialLattice, is_the_sum_over_images_beyond_the_nearest) {
    constexpr double side = 2.5;
    const Case cases[] = {{screened(0.02 * side), all_periodic, 4, 1e-8},
                          {screened(0.1 * side), all_periodic, 6, 1e-8},
                          {screened(0.3 * side), all_periodic, 12, 1e-7},
                          {screened(0.5 * side), all_periodic, 14, 1e-6},
                          {screened(0.3 * side), {true, false, true}, 12, 1e-7},
                          {screened(0.3 * side), {false, true, false}, 12, 1e-7},
                          {power(6), all_periodic, PotentialLattice::most_shells, 1e-6}};
    models::Random random(3);
    for (const auto& [potential, periodic, shells, error] : cases) {
        const PotentialLattice lattice(potential, side, periodic, 1e-3);
        const double size = potential(side * side / 4)[0];
        for (int k = 0; k < 10; ++k) {
            const Vec3<double> at = side * (random.in_cube() - Vec3<double>{0.5, 0.5, 0.5});
            EXPECT_NEAR(lattice.at(at).value, direct_sum(potential, side, periodic, at, shells), error * size);
        }
    }
}

TEST(PotentialLattice, has_the_gradient_of_its_value) {
    const PotentialLattice lattice(screened(0.3), 1, all_periodic, 1e-3);
    const Vec3<double> at{0.4, -0.3, 0.05};
    for (std::size_t axis = 0; axis < 3; ++axis) {
        Vec3<double> up = at, down = at;
        up[axis] += 1e-5;
        down[axis] -= 1e-5;
        EXPECT_NEAR(lattice.at(at).gradient[axis], (lattice.at(up).value - lattice.at(down).value) / 2e-5, 1e-9);
    }
}

// A sum that has no limit, or one that is not reached.
TEST(PotentialLattice, is_refused_for_potentials_that_fall_off_slowly) {
    for (const double exponent : {1.0, 3.0})
        EXPECT_THROW(PotentialLattice(power(exponent), 1, all_periodic, 1e-3), InputError) << exponent;
    EXPECT_THROW(PotentialLattice(screened(3), 1, all_periodic, 1e-3), InputError);
    EXPECT_THROW(PotentialLattice(power(6), 1, all_periodic, 1e-6), InputError);
    EXPECT_NO_THROW(PotentialLattice(power(6), 1, all_periodic, 1e-3));
}

}  // namespace trellis::potential_lattice_test
