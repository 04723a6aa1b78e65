// Opening criteria: the conditions under which a cell acts as a whole, as one superparticle.
#pragma once

#include <cmath>
#include <limits>

#include "trellis/base/vec.hpp"

namespace trellis {

// The receiver of an accepted cell's force.
enum class Receiver {
    particle,  // each i-particle on its own (tree code: Barnes & Hut 1986, Barnes 1990)
    cell       // a target cell as a whole, by a local expansion (fast multipole method: Greengard & Rokhlin 1987)
};

// A cell of size s and weight w at distance d is accepted if s / d < theta and w s^q / d^(q + 2) <= tolerance.
//
// Receiver::particle: s is the cell's longest side, d the distance from the target's box to the cell's centre,
//   q = order + 1 (order 1, theta: the geometric criterion; finite tolerance: Springel 2005, eq. 18). If theta times
//   the cell's radius exceeds s, it replaces s: d is then above the radius, and no i-particle is part of a cell that
//   acts on it.
// Receiver::cell: s is the sum of the radii of both spheres, d the distance of their centres, q = order
//   (Dehnen 2002, 2014). The error of cells much smaller than the target comes from the target's own size, has the same
//   direction for all of them, and would not shrink if the cells were divided. Cells below small_cell times the
//   target's radius are therefore left to its halves, at next to no cost, or act on a group as superparticles, by the
//   first rule, with their radius as s, which is expensive. In groups whose tolerances, and so the forces, differ by at
//   most a factor of even_tolerances, cells act as wholes down to small_for_even_group times the radius. Groups whose
//   tolerances differ more are divided, down to leaves, and their parts use small_cell.
// The tolerance of a target, an error in w / d^2, is the smallest of its particles' tolerances.
//
// Softenings that differ within a cell (tree/softening.hpp) add to (s / d)^q, with x = v / d^2 and v their variation,
//     3/2 x (s / d + x),
// which must be below theta^q if there is no tolerance. The term of x^2, at most 15/32 x^2 of the cell's force, has the
// same direction for all cells, and dividing them does not lessen it: it must be below twice softening_error, too. The
// variation of a target cell, whose local expansion has its mean softening, causes an error of 3/2 x in the same
// direction for all cells, which must be below softening_error.
//
// Cells wholly beyond a cutoff do not act and are dropped, as are cells that act as wholes and whose centre is beyond
// the cutoff from the target's: the interaction and its derivatives are 0 there.
struct Opening {
    Receiver receiver = Receiver::particle;
    double theta = 0.5;  // > 0; below 1 for Receiver::cell
    int order = 1;       // of the multipole expansion: 1 monopole about the centre of mass, 2 quadrupole, ...
    double softening_error = std::numeric_limits<double>::infinity();  // infinite if all softenings are equal
    double cutoff = std::numeric_limits<double>::infinity();  // the interaction is 0 beyond it; Receiver::cell only

    TRELLIS_HOST_DEVICE bool ends() const { return cutoff != std::numeric_limits<double>::infinity(); }
    TRELLIS_HOST_DEVICE bool softenings_differ() const {
        return softening_error != std::numeric_limits<double>::infinity();
    }
};

// The factor by which softening_error grows if the ratios of sizes to distances may grow by a factor of 1 + growth.
inline double softening_growth(double growth) { return std::pow(1 + growth, 4); }

inline constexpr double small_cell = 0.7;
inline constexpr double small_for_even_group = 0.35;
inline constexpr double even_tolerances = 2;
inline constexpr double any_error = std::numeric_limits<double>::infinity();

// value (size / distance)^power, from the square of that ratio.
template <class V>
TRELLIS_INLINE V times_power(V value, const V& ratio2, int power) {
    using std::sqrt;
    if (power % 2 == 1) value *= sqrt(ratio2);
    for (int k = power / 2; k > 0; --k) value *= ratio2;
    return value;
}

// True if size / distance < theta and weight (size / distance)^power / distance^2 <= tolerance, for one cell or a
// batch.
template <class V>
TRELLIS_INLINE auto acceptable(const V& size, const V& distance2, const V& weight, const Opening& opening, int power,
                               double tolerance) {
    const auto wide = size * size < opening.theta * opening.theta * distance2;
    if (tolerance == any_error) return wide;
    const V error = times_power<V>(weight / distance2, size * size / distance2, power);
    return decltype(wide)(wide && error <= tolerance);
}

// The same for cells whose softenings have this variation.
template <class V>
TRELLIS_INLINE auto acceptable(const V& size, const V& distance2, const V& weight, const V& variation,
                               const Opening& opening, int power, double tolerance) {
    using std::sqrt;
    if (!opening.softenings_differ()) return acceptable(size, distance2, weight, opening, power, tolerance);
    const auto wide = acceptable(size, distance2, weight, opening, power, any_error);
    const V ratio2 = size * size / distance2, x = variation / distance2, softened = 1.5 * x * (sqrt(ratio2) + x);
    const auto even = wide && 15.0 / 64 * x * x <= opening.softening_error;
    if (tolerance == any_error)
        return decltype(wide)(even && softened <= times_power<V>(1.0, opening.theta * opening.theta, power));
    const V share = weight / distance2;
    return decltype(wide)(even && times_power<V>(share, ratio2, power) + share * softened <= tolerance);
}

}  // namespace trellis
