// The smoothing length that belongs to a density: rho h^d is the same for all particles of equal mass, d being the
// number of dimensions.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "trellis/forces/sph/kernels/density.hpp"
#include "trellis/forces/sph/kernels/smoothing_kernel.hpp"

namespace trellis {

// The volume of the ball of radius 1 in `dimensions` dimensions.
inline double unit_ball(int dimensions) {
    return dimensions == 1 ? 2 : (dimensions == 2 ? 1 : 4.0 / 3) * std::numbers::pi;
}

// The number of neighbours that a particle is to have, itself among them, is the one in rho h^d = m neighbours /
// unit_ball; here for h = eta (m / rho)^(1/d).
inline double neighbours_of(int dimensions, double eta) { return unit_ball(dimensions) * power(eta, dimensions); }

// The number of neighbours, by mass, over the wanted one: grows with h, and is 1 for the h that is searched for.
inline double filling(int dimensions, double h, double rho, double mass, double neighbours) {
    return rho * power(h, dimensions) * unit_ball(dimensions) / (mass * neighbours);
}

// The filling by the particle alone. More neighbours than this must be wanted, else h has no lower bound.
inline double fewest_neighbours(const SmoothingShape& shape) {
    return shape.norm * shape.centre * unit_ball(shape.dimensions);
}

// h after a time in which the gas expanded at the rate div v, bounded to near h: the start of a search.
inline double predicted_length(int dimensions, double h, double divergence, double elapsed) {
    return h * std::exp(std::clamp(divergence * elapsed / dimensions, -0.1, 0.1));
}

// The density of a particle of smoothing length h, and its first two derivatives by h.
struct DensityByLength {
    double h, rho, slope, curvature;

    // At a length near h, to second order.
    DensityByLength at(double other) const {
        const double by = other - h;
        return {other, rho + by * (slope + by / 2 * curvature), slope + by * curvature, curvature};
    }
};

// The density at the h that is searched for, which is within LengthSearch::near of where it was summed.
inline DensityByLength solved_near(const DensityByLength& summed, int dimensions, double mass, double neighbours) {
    DensityByLength now = summed;
    for (int step = 0; step < 2; ++step) {  // Newton's method in h: a change of 3e-4, then 1e-7
        const double filled = filling(dimensions, now.h, now.rho, mass, neighbours);
        const double growth = dimensions * omega(dimensions, now.h, now.rho, now.slope) * filled;
        now = summed.at(now.h * (1 - (filled - 1) / growth));
    }
    return now;
}

// One particle's search for h: Newton's method in log h, between lengths known to be too small and too large.
class LengthSearch {
  public:
    static constexpr double tolerance = 1e-6;
    // The density at lengths that differ by less, in log h, follows from its derivatives: slopes to about 1e-5.
    static constexpr double near = 3e-4;

    explicit LengthSearch(int dimensions) : dimensions_(dimensions) {}

    // True if h has converged to the tolerance. filled: filling at h; omega: see density.hpp.
    bool converged(double filled, double omega) const { return std::abs(newton(filled, omega)) < tolerance; }

    // True if the h that is searched for is near.
    bool is_near(double filled, double omega) const { return std::abs(newton(filled, omega)) < near; }

    // The h to try next, if the search has not converged at h.
    double next(double h, double filled, double omega) {
        (filled < 1 ? low_ : high_) = h;
        const double tried = h * std::exp(std::clamp(newton(filled, omega), -longest_step, longest_step));
        return low_ < tried && tried < high_ ? tried : std::sqrt(low_ * high_);
    }

  private:
    static constexpr double longest_step = std::numbers::ln2;

    // d log(filling) / d log(h) = d omega: near 0 where no other particle is near, so that steps are bounded.
    double newton(double filled, double omega) const {
        return -std::log(filled) / (dimensions_ * std::max(omega, 1e-3));
    }

    int dimensions_;
    double low_ = 0, high_ = std::numeric_limits<double>::infinity();
};

}  // namespace trellis
