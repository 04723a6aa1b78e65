// The smoothing length that a density goes with: rho h^d is the same for all particles of a mass, d being the number of dimensions.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "trellis/forces/sph/smoothing_kernel.hpp"

namespace trellis {

// How many neighbours a particle is to have: rho h^d = m neighbours / (volume of the unit ball). A particle itself is one of them.
template <int Dim>
constexpr double unit_ball = Dim == 1 ? 2 : (Dim == 2 ? 1 : 4.0 / 3) * std::numbers::pi;

// The same asked for as h = eta (m / rho)^(1/d).
template <int Dim>
double neighbours_of(double eta) {
    return unit_ball<Dim> * power<Dim>(eta);
}

// Neighbours, by mass, over those it is to have: grows with h, and is 1 for the h that is sought.
template <int Dim>
double filling(double h, double rho, double mass, double neighbours) {
    return rho * power<Dim>(h) * unit_ball<Dim> / (mass * neighbours);
}

// One particle's search for h: Newton's method in log h, held within what is known to be too small and too large.
template <int Dim>
class LengthSearch {
  public:
    static constexpr double tolerance = 1e-6;

    // Whether h is what is sought, to the tolerance. filled: filling at h; omega: see density.hpp.
    static bool converged(double filled, double omega) { return std::abs(newton(filled, omega)) < tolerance; }

    // Not converged at h: the h to try next.
    double next(double h, double filled, double omega) {
        (filled < 1 ? low_ : high_) = h;
        const double tried = h * std::exp(std::clamp(newton(filled, omega), -longest_step, longest_step));
        return low_ < tried && tried < high_ ? tried : std::sqrt(low_ * high_);
    }

  private:
    static constexpr double longest_step = std::numbers::ln2;

    // d log(filling) / d log(h) = d omega: near 0 where nobody is near, and there the step is anything but too short.
    static double newton(double filled, double omega) { return -std::log(filled) / (Dim * std::max(omega, 1e-3)); }

    double low_ = 0, high_ = std::numeric_limits<double>::infinity();
};

}  // namespace trellis
