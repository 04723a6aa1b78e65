#include "trellis/integrate/comoving/growth.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include "trellis/integrate/comoving/quadrature.hpp"

namespace trellis {

namespace {

using Orders = std::array<double, 4>;  // D1 and D2, each with its derivative by ln a

constexpr double longest_step = 0.25;  // in ln a

// A scale factor at which dark energy and curvature are negligible.
constexpr double early = 1e-12;

// The growing solutions while radiation, or matter if there is no radiation, outweighs all else.
Orders at_first(const Cosmology& cosmology, double a) {
    if (cosmology.omega_r == 0) return {a, a, -3.0 / 7 * a * a, -6.0 / 7 * a * a};
    const double equal = cosmology.omega_r / cosmology.omega_m, constant = 2.0 / 3 * equal;
    const double second = -1.5 * (a / equal) * constant * constant;
    return {a + constant, a, second, second};
}

// D'' + (2 + d ln H / d ln a) D' = 3/2 Omega_m(a) S, where S is D1, and D2 - D1^2 for the second order.
Orders derivative(const Cosmology& cosmology, double a, const Orders& now) {
    const double friction = 2 + cosmology.hubble_slope(a), pull = 1.5 * cosmology.matter_share(a);
    const auto [first, first_rate, second, second_rate] = now;
    return {first_rate, pull * first - friction * first_rate, second_rate,
            pull * (second - first * first) - friction * second_rate};
}

}  // namespace

Growth growth(const Cosmology& cosmology, double a) {
    cosmology.hubble(a);
    const double equal = cosmology.omega_r / cosmology.omega_m;
    const double begin = std::min(equal > 0 ? std::min(early, 1e-6 * equal) : early, a);
    const double span = std::log(a / begin);
    const std::size_t steps = parts_of(span, longest_step);
    const double length = span / static_cast<double>(steps);
    const auto rate = [&](double x, const Orders& y) { return derivative(cosmology, begin * std::exp(x), y); };
    Orders now = at_first(cosmology, begin);
    for (std::size_t k = 0; k < steps; ++k) now = extrapolated_step(rate, static_cast<double>(k) * length, now, length);
    return {now[0], now[1] / now[0], now[2], now[3] / now[2]};
}

}  // namespace trellis
