// Fields that are uniform, or proportional to the distance from a centre.
#pragma once

#include <numbers>

#include "trellis/forces/external/checked_values.hpp"
#include "trellis/forces/external/one_body.hpp"

namespace trellis::external {

// The same acceleration g everywhere: phi = -g . x.
struct UniformField {
    using Target = Fields<Position>;
    using Result = Fields<Acceleration, ExternalPotential>;

    Vec3<double> acceleration;

    TRELLIS_HOST_DEVICE void operator()(const auto& i, auto& sum) const {
        sum[fields::acceleration] += acceleration;
        sum[fields::external_potential] -= dot(acceleration, i[fields::position]);
    }

    void check() const { check_is_finite("acceleration", acceleration); }
};

// Springs along the axes: phi = sum over axes of omega^2 d^2 / 2, d from the centre.
struct HarmonicTrap {
    using Target = Fields<Position>;
    using Result = Fields<Acceleration, ExternalPotential>;

    Vec3<double> frequency;  // omega along each axis; 0: no force along it
    Vec3<double> centre{};

    TRELLIS_HOST_DEVICE void operator()(const auto& i, auto& sum) const {
        const Vec3<double> d = i[fields::position] - centre, w = frequency;
        const Vec3<double> pull{w.x * w.x * d.x, w.y * w.y * d.y, w.z * w.z * d.z};
        sum[fields::acceleration] -= pull;
        sum[fields::external_potential] += 0.5 * dot(pull, d);
    }

    void check() const {
        for (std::size_t axis = 0; axis < 3; ++axis) check_not_below_zero("frequency", frequency[axis]);
        check_is_finite("centre", centre);
    }
};

// The background of comoving coordinates in open space: subtracts the mean density of matter, so that matter spread
// evenly about the centre stays at rest. phi = -2 pi / 3 G density d^2, d from the centre.
struct MeanDensity {
    using Target = Fields<Position>;
    using Result = Fields<Acceleration, ExternalPotential>;

    double density;  // comoving, above 0
    Vec3<double> centre{};
    double G = 1;

    TRELLIS_HOST_DEVICE void operator()(const auto& i, auto& sum) const {
        const Vec3<double> d = i[fields::position] - centre;
        const double rate = 4 * std::numbers::pi / 3 * G * density;
        sum[fields::acceleration] += rate * d;
        sum[fields::external_potential] -= 0.5 * rate * dot(d, d);
    }

    void check() const {
        check_above_zero("density", density);
        check_is_finite("centre", centre);
        check_above_zero("G", G);
    }
};

}  // namespace trellis::external
