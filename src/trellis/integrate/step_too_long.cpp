#include "trellis/integrate/step_too_long.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "trellis/base/error.hpp"
#include "trellis/base/parallel.hpp"
#include "trellis/particles/motion.hpp"

namespace trellis {

using namespace fields;

namespace {

// From one position to the nearest image of another.
double distance2(const Vec3<double>& from, const Vec3<double>& to, const Region& region) {
    Vec3<double> apart = to - from;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        if (!region.periodic(axis)) continue;
        const double period = region.high[axis] - region.low[axis];
        apart[axis] -= period * std::nearbyint(apart[axis] / period);
    }
    return dot(apart, apart);
}

std::string name_of(const ParticleSet& particles, std::size_t row) {
    const Vec3<double>& x = particles[position][row];
    return "the particle of id " + std::to_string(particles[id][row]) + " at (" + to_text(x.x) + ", " + to_text(x.y) +
           ", " + to_text(x.z) + ")";
}

std::string nearest_neighbour(const ParticleSet& particles, std::size_t row) {
    const auto x = particles[position];
    std::size_t nearest = row;
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t other = 0; other < x.size(); ++other) {
        if (other == row) continue;
        const double here = distance2(x[row], x[other], particles.region());
        if (!(here < least)) continue;
        least = here;
        nearest = other;
    }
    if (nearest == row) return "";
    return "; its nearest neighbour, of id " + std::to_string(particles[id][nearest]) + ", is " +
           to_text(std::sqrt(least)) + " away";
}

}  // namespace

std::string sentence_of(const TooLongStep& step, const ParticleSet& particles) {
    const Vec3<double>& a = particles[acceleration][step.row];
    const double size = std::sqrt(dot(a, a));
    const std::string which = name_of(particles, step.row), moment = " at t = " + to_text(step.begin);
    const std::string why =
        std::isfinite(size) && std::isfinite(step.range)
            ? "the step of " + to_text(step.length) + moment + " is too long: the acceleration of " + which +
                  " would move it by " + to_text(size * step.length * step.length) + " in it, more than half the " +
                  to_text(step.range) + " within which particles interact"
            : "the acceleration of " + which + moment + " is not finite, or too large to be squared";
    if (!std::isfinite(size) && particles[mass][step.row] == 0)
        return why + ": its mass is 0, by which its force is divided";
    return why + nearest_neighbour(particles, step.row) +
           ": shorter steps may help, or a beginning in which no particles overlap";
}

void check_step(const ParticleSet& particles, double begin, double length, double range) {
    const auto a = particles[acceleration];
    const FreeRows free(particles);
    const auto too_long = [&](std::size_t row) {
        return free[row] && step_is_too_long(dot(a[row], a[row]), length, range);
    };
    const std::size_t bad = parallel_reduce(
        a.size(), a.size(),
        [&](std::size_t first, std::size_t end) {
            bool any = false;
            for (std::size_t row = first; row < end; ++row) any |= too_long(row);
            if (!any) return a.size();
            while (!too_long(first)) ++first;
            return first;
        },
        [](std::size_t one, std::size_t other) { return std::min(one, other); });
    if (bad < a.size()) throw RunError(sentence_of({begin, length, range, bad}, particles));
}

}  // namespace trellis
