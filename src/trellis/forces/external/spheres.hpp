// The gravity of spheres: phi depends on the distance from the centre alone.
#pragma once

#include <cmath>

#include "trellis/base/math.hpp"
#include "trellis/forces/external/checked_values.hpp"
#include "trellis/forces/external/one_body.hpp"

namespace trellis::external {

// phi = -G M / r; no force at the centre itself.
struct PointMass {
    using Target = Fields<Position>;
    using Result = Fields<Acceleration, ExternalPotential>;

    double mass;
    Vec3<double> centre{};
    double G = 1;

    TRELLIS_HOST_DEVICE void operator()(const auto& i, auto& sum) const {
        const Vec3<double> d = i[fields::position] - centre;
        const double rinv = rsqrt(dot(d, d)), phi = -G * mass * rinv;
        sum[fields::external_potential] += phi;
        sum[fields::acceleration] += phi * rinv * rinv * d;
    }

    void check() const { check_mass(mass, centre, G); }
};

// phi = -G M / sqrt(r^2 + b^2) (Plummer 1911).
struct Plummer {
    using Target = Fields<Position>;
    using Result = Fields<Acceleration, ExternalPotential>;

    double mass;
    double scale_radius;  // b
    Vec3<double> centre{};
    double G = 1;

    TRELLIS_HOST_DEVICE void operator()(const auto& i, auto& sum) const {
        const Vec3<double> d = i[fields::position] - centre;
        const double rinv = rsqrt(dot(d, d) + scale_radius * scale_radius), phi = -G * mass * rinv;
        sum[fields::external_potential] += phi;
        sum[fields::acceleration] += phi * rinv * rinv * d;
    }

    void check() const {
        check_mass(mass, centre, G);
        check_above_zero("scale_radius", scale_radius);
    }
};

// phi = -G M ln(1 + x) / r with x = r / r_s (Navarro, Frenk & White 1996): M (ln(1 + x) - x / (1 + x)) lies within r.
struct Nfw {
    using Target = Fields<Position>;
    using Result = Fields<Acceleration, ExternalPotential>;

    double mass;          // M = 4 pi rho_s r_s^3
    double scale_radius;  // r_s
    Vec3<double> centre{};
    double G = 1;

    TRELLIS_HOST_DEVICE void operator()(const auto& i, auto& sum) const {
        const Vec3<double> d = i[fields::position] - centre;
        const double r2 = dot(d, d), x = std::sqrt(r2) / scale_radius, unit = G * mass / scale_radius;
        sum[fields::external_potential] -= unit * (x > 0 ? std::log1p(x) / x : 1.0);
        sum[fields::acceleration] -= unit / scale_radius * mass_within(x) * rsqrt(r2) * d;
    }

    void check() const {
        check_mass(mass, centre, G);
        check_above_zero("scale_radius", scale_radius);
    }

  private:
    // (ln(1 + x) - x / (1 + x)) / x^2: near the centre by its series, since the terms cancel there.
    static TRELLIS_INLINE double mass_within(double x) {
        if (x > 0.02) return (std::log1p(x) - x / (1 + x)) / (x * x);
        double sum = 0;
        for (int n = 11; n >= 2; --n) sum = (n - 1.0) / n - x * sum;
        return sum;
    }
};

}  // namespace trellis::external
