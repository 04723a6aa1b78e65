// The gravity of bodies that are flattened along z: halos and discs.
#pragma once

#include <cmath>

#include "trellis/base/math.hpp"
#include "trellis/forces/external/checked_values.hpp"
#include "trellis/forces/external/one_body.hpp"

namespace trellis::external {

// phi = v^2 / 2 ln(1 + (x^2 + y^2 + z^2 / q^2) / r_c^2), which is 0 at the centre (Binney & Tremaine 2008, equation
// 2.71a): far out, the circular speed in the plane is v.
struct LogarithmicHalo {
    using Target = Fields<Position>;
    using Result = Fields<Acceleration, ExternalPotential>;

    double speed;           // v
    double core_radius;     // r_c
    double flattening = 1;  // q
    Vec3<double> centre{};

    TRELLIS_HOST_DEVICE void operator()(const auto& i, auto& sum) const {
        const Vec3<double> d = i[fields::position] - centre;
        const Vec3<double> stretched{d.x, d.y, d.z / (flattening * flattening)};
        const double m2 = dot(d, stretched), core2 = core_radius * core_radius;
        sum[fields::external_potential] += 0.5 * speed * speed * std::log1p(m2 / core2);
        sum[fields::acceleration] -= speed * speed / (core2 + m2) * stretched;
    }

    void check() const {
        check_above_zero("speed", speed);
        check_above_zero("core_radius", core_radius);
        check_above_zero("flattening", flattening);
        check_is_finite("centre", centre);
    }
};

// phi = -G M / sqrt(x^2 + y^2 + (a + sqrt(z^2 + b^2))^2) (Miyamoto & Nagai 1975): a = 0 is Plummer's sphere, b = 0
// would be Kuzmin's razor-thin disc, which is refused, since its force jumps.
struct MiyamotoNagai {
    using Target = Fields<Position>;
    using Result = Fields<Acceleration, ExternalPotential>;

    double mass;
    double scale_length;  // a
    double scale_height;  // b
    Vec3<double> centre{};
    double G = 1;

    TRELLIS_HOST_DEVICE void operator()(const auto& i, auto& sum) const {
        const Vec3<double> d = i[fields::position] - centre;
        const double height = std::sqrt(d.z * d.z + scale_height * scale_height), reach = scale_length + height;
        const double rinv = rsqrt(d.x * d.x + d.y * d.y + reach * reach), phi = -G * mass * rinv;
        sum[fields::external_potential] += phi;
        sum[fields::acceleration] += phi * rinv * rinv * Vec3<double>{d.x, d.y, d.z * (reach / height)};
    }

    void check() const {
        check_mass(mass, centre, G);
        check_not_below_zero("scale_length", scale_length);
        check_above_zero("scale_height", scale_height);
    }
};

}  // namespace trellis::external
