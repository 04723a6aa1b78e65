#include "trellis/forces/gravity/periodic/open_lattice.hpp"

#include <array>
#include <cmath>
#include <cstdlib>
#include <numbers>

#include "trellis/base/error.hpp"

namespace trellis {

namespace {

// The sum over 1 / sqrt(u^2 + s), its derivative by u, and the sum over 1 / (u^2 + s)^(3/2).
struct Sums {
    double value = 0, slope = 0, cubes = 0;
    Sums& operator+=(const Sums& other) {
        value += other.value;
        slope += other.slope;
        cubes += other.cubes;
        return *this;
    }
};

// y = (u^2 + s)^(-power / 2) and its derivatives by u.
constexpr std::size_t derivatives = 9;
std::array<double, derivatives> powers(double u, double r2, int power) {
    std::array<double, derivatives> y{power == 1 ? 1 / std::sqrt(r2) : 1 / (r2 * std::sqrt(r2))};
    y[1] = -power * u * y[0] / r2;
    for (int k = 1; k + 1 < static_cast<int>(derivatives); ++k)
        y[k + 1] = -((2 * k + power) * u * y[k] + k * (k - 1 + power) * y[k - 1]) / r2;
    return y;
}

// The images at u + a / 2, u + 3 a / 2 and so on (Euler and Maclaurin, by midpoints): an integral, and the odd
// derivatives at u.
Sums beyond(double u, double s, double a) {
    constexpr std::array coefficients{1.0 / 24, -7.0 / 5760, 31.0 / 967680, -127.0 / 154828800};
    const double r2 = u * u + s, r = std::sqrt(r2);
    const auto y = powers(u, r2, 1), z = powers(u, r2, 3);
    Sums sum{-std::log((u + r) / a) / a, -y[0] / a, 1 / (a * r * (u + r))};
    double scale = a;
    for (std::size_t k = 0; k < coefficients.size(); ++k, scale *= a * a) {
        sum.value += coefficients[k] * scale * y[2 * k + 1];
        sum.slope += coefficients[k] * scale * y[2 * k + 2];
        sum.cubes += coefficients[k] * scale * z[2 * k + 1];
    }
    return sum;
}

// A wire along x; s: the square of the distance from it.
Sums wire(double x, double s, double a, int left_out) {
    constexpr int near = 12;
    x -= left_out < 0 ? a * std::nearbyint(x / a) : 0;
    Sums sum = beyond((near + 0.5) * a + x, s, a);
    const Sums other = beyond((near + 0.5) * a - x, s, a);
    sum += {other.value, -other.slope, other.cubes};
    for (int n = -near; n <= near; ++n) {
        if (std::abs(n) <= left_out) continue;
        const double u = x + n * a, r2 = u * u + s;
        if (r2 == 0) continue;
        const double per_r = 1 / std::sqrt(r2), cubed = per_r / r2;
        sum += {per_r, -u * cubed, cubed};
    }
    return sum;
}

// A function of y and s = z^2, its derivative by y, and its derivative by z over z.
struct Plane {
    double value, by_y, by_z_over_z;
};

// -ln of (sin^2 p + sinh^2 q) / (p^2 + q^2), p = pi y / b, q = pi z / b: the field of all lines at distances b of each
// other, minus that of the line at 0.
Plane lines_but_one(double y, double s, double b) {
    constexpr double pi = std::numbers::pi;
    const double p = pi * y / b, P = p * p, Q = pi * pi * s / (b * b), q = std::sqrt(Q), per = pi / b;
    if (P + Q < 1e-3)  // -2 Re ln(sin w / w), w = p + i q
        return {(P - Q) / 3 + (P * P - 6 * P * Q + Q * Q) / 90 +
                    2 * (P * P * P - 15 * P * P * Q + 15 * P * Q * Q - Q * Q * Q) / 2835,
                2 * per * p * (1.0 / 3 + (P - 3 * Q) / 45 + 2 * (P * P - 10 * P * Q + 5 * Q * Q) / 945),
                -2 * per * per * (1.0 / 3 + (3 * P - Q) / 45 + 2 * (5 * P * P - 10 * P * Q + Q * Q) / 945)};
    const double sine = std::sin(p), sinh = std::sinh(q), both = sine * sine + sinh * sinh;
    return {-std::log(both / (P + Q)), -2 * per * (sine * std::cos(p) / both - p / (P + Q)),
            -2 * per * per * ((q == 0 ? 1 : sinh * std::cosh(q) / q) / both - 1 / (P + Q))};
}

// A sheet of wires along x, side by side along y; a is not above b.
OpenLatticeField sheet(double x, double y, double s, double a, double b, int left_out) {
    constexpr int near = 5;
    y -= left_out < 0 ? b * std::nearbyint(y / b) : 0;
    const Plane lines = lines_but_one(y, s, b);
    // The line at 0 would be -ln(pi^2 (y^2 + s) / b^2), and a factor 4 belongs to the sines.
    OpenLatticeField sum{(lines.value - 2 * std::log(2 * std::numbers::pi * a / b)) / a,
                         {0, lines.by_y / a, lines.by_z_over_z / a}};
    for (int m = -near; m <= near; ++m) {
        const double v = y + m * b, t = v * v + s;
        const Sums of_wire = wire(x, t, a, std::abs(m) <= left_out ? left_out : -1);
        const double line = m == 0 ? 0 : 2 / (a * t);
        sum.value += of_wire.value + (m == 0 ? 0 : std::log(t / (a * a)) / a);
        sum.gradient.x += of_wire.slope;
        sum.gradient.y += (line - of_wire.cubes) * v;
        sum.gradient.z += line - of_wire.cubes;
    }
    return sum;
}

}  // namespace

OpenLatticeField open_lattice(const Vec3<double>& d, double w, const Vec3<double>& sides, int left_out) {
    std::array<std::size_t, 3> axes{};  // the periodic ones first
    std::size_t periodic = 0, open = 3;
    for (std::size_t axis = 0; axis < 3; ++axis) axes[std::isfinite(sides[axis]) ? periodic++ : --open] = axis;
    if (periodic < 1 || periodic > 2) throw InputError("a lattice with open axes has one period or two");
    const std::size_t along = axes[0], across = axes[1], up = axes[2];
    OpenLatticeField field;
    double over_z = 0;  // the derivative along an open axis, over the distance along it
    if (periodic == 1) {
        const Sums sums = wire(d[along], d[across] * d[across] + d[up] * d[up] + w, sides[along], left_out);
        over_z = -sums.cubes;
        field.value = sums.value;
        field.gradient[along] = sums.slope;
        field.gradient[across] = over_z * d[across];
    } else {
        const bool swapped = sides[along] > sides[across];
        const std::size_t x = swapped ? across : along, y = swapped ? along : across;
        const OpenLatticeField flat = sheet(d[x], d[y], d[up] * d[up] + w, sides[x], sides[y], left_out);
        over_z = flat.gradient.z;
        field.value = flat.value;
        field.gradient[x] = flat.gradient.x;
        field.gradient[y] = flat.gradient.y;
    }
    field.gradient[up] = over_z * d[up];
    field.cubes = -over_z;
    return field;
}

}  // namespace trellis
