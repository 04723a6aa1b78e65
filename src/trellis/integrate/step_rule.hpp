// The rule by which a step is too long for any integrator, of simulations and of ensembles: a particle's acceleration
// alone would move it over a large part of the distance within which particles interact. Such a step has nothing to do
// with the motion of the particles, and the next ones lead to infinity.
#pragma once

#include "trellis/base/vec.hpp"

namespace trellis {

// The largest allowed |a| dt^2, in ranges of the forces. A particle that is fast may go farther by its velocity.
inline constexpr double largest_move_by_acceleration = 0.5;

// acceleration2: the square of a particle's acceleration. length: of the step. range: the distance beyond which pairs
// do not interact; infinite if they do at any distance. True as well for accelerations that are not finite.
TRELLIS_HOST_DEVICE constexpr bool step_is_too_long(double acceleration2, double length, double range) {
    constexpr double largest = 1e300;  // finite
    const double most = largest_move_by_acceleration * range, move2 = acceleration2 * length * length * length * length;
    return !(acceleration2 <= largest && (most > 1e100 || move2 <= most * most));
}

}  // namespace trellis
