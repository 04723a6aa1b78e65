// The gravity of a bar that turns.
#pragma once

#include <cmath>

#include "trellis/forces/external/checked_values.hpp"
#include "trellis/forces/external/one_body.hpp"

namespace trellis::external {

// A homogeneous needle of half-length a, softened by b across and by c in height (Long & Murali 1992):
//
//     phi = -G M / 2a ln((S + 2a) / (S - 2a)), S = T+ + T-, T+-^2 = (a +- x)^2 + y^2 + (b + sqrt(z^2 + c^2))^2,
//
// x along the bar, which turns about z. A particle keeps its E - Omega L_z (Jacobi's integral), not its energy E.
struct RotatingBar {
    using Target = Fields<Position>;
    using Result = Fields<Acceleration, ExternalPotential>;

    double mass;
    double half_length;    // a
    double width;          // b
    double thickness;      // c
    double pattern_speed;  // Omega, in radians a time unit; above 0: from x to y
    double angle = 0;      // from the x axis to the bar at time 0
    Vec3<double> centre{};
    double G = 1;
    double cosine = std::cos(angle), sine = std::sin(angle);  // of the present angle, set by at()

    RotatingBar at(double time) const {
        RotatingBar then = *this;
        then.cosine = std::cos(angle + pattern_speed * time);
        then.sine = std::sin(angle + pattern_speed * time);
        return then;
    }

    TRELLIS_HOST_DEVICE void operator()(const auto& i, auto& sum) const {
        const Vec3<double> d = i[fields::position] - centre;
        const double x = cosine * d.x + sine * d.y, y = cosine * d.y - sine * d.x;
        const double height = std::sqrt(d.z * d.z + thickness * thickness), reach = width + height;
        const double across2 = y * y + reach * reach, a = half_length;
        const double plus = std::sqrt((a + x) * (a + x) + across2), minus = std::sqrt((a - x) * (a - x) + across2);
        const double both = plus + minus, beyond = both - 2 * a;
        const double along = 2 * G * mass / (plus * minus * both);
        const double across = 2 * G * mass * both / (plus * minus * beyond * (both + 2 * a));
        const double pull_x = along * x, pull_y = across * y;
        sum[fields::external_potential] -= G * mass / (2 * a) * std::log1p(4 * a / beyond);
        sum[fields::acceleration] -= Vec3<double>{cosine * pull_x - sine * pull_y, sine * pull_x + cosine * pull_y,
                                                  across * d.z * (reach / height)};
    }

    void check() const {
        check_mass(mass, centre, G);
        check_above_zero("half_length", half_length);
        check_not_below_zero("width", width);
        check_above_zero("thickness", thickness);
        check_is_finite("pattern_speed", pattern_speed);
        check_is_finite("angle", angle);
    }
};

}  // namespace trellis::external
