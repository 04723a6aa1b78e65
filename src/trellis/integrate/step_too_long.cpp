#include "trellis/integrate/step_too_long.hpp"

#include <algorithm>
#include <cmath>

#include "trellis/base/error.hpp"
#include "trellis/base/parallel.hpp"
#include "trellis/integrate/particle_in_words.hpp"
#include "trellis/particles/motion.hpp"

namespace trellis {

using namespace fields;

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
