#include "trellis/integrate/step_clock.hpp"

#include <algorithm>
#include <cmath>

#include "trellis/base/error.hpp"

namespace trellis {

StepClock::StepClock(std::optional<double> timestep) : fixed_(timestep) {
    if (timestep && !(*timestep > 0 && std::isfinite(*timestep)))
        throw InputError("timestep is " + to_text(*timestep) + ": allowed is above 0");
}

void StepClock::resume(double time, std::uint64_t step_count, double allowed) {
    time_ = time;
    step_count_ = step_count;
    allowed_ = allowed;
    if (!fixed() && std::isfinite(allowed)) step_.length = length_of(allowed);
}

void StepClock::begin_step(double longest, double end) {
    const double allowed = next_allowed(longest);
    const StepLength next = next_step(allowed, end);
    if (!(next.end > time_))
        throw RunError("timestep is " + to_text(next.length) + ": allowed is what moves the time on from " +
                       to_text(time_));
    step_ = next;
    allowed_ = allowed;
    factors_ = factors_of(time_, next);
}

double StepClock::next_allowed(double longest) const {
    if (fixed()) return allowed_;
    if (std::isinf(longest))
        throw InputError("timestep is not given, which is allowed where a force limits it: none does");
    return std::isinf(allowed_) ? first_share * longest : std::min(longest, step_growth * allowed_);
}

StepLength StepClock::next_step(double allowed, double end) const {
    if (!fixed_) return chosen_step(time_, allowed, end);
    return fixed_step(time_, *fixed_, time_after(time_, *fixed_, origin_, step_count_ + 1), end);
}

StepFactors StepClock::factors(double begin_share, double end_share) const {
    return factors_of(time_at(begin_share), {(end_share - begin_share) * step_.length, time_at(end_share)});
}

StepFactors StepClock::factors_of(double /*begin*/, const StepLength& step) const {
    return {.first_kick = 0.5 * step.length, .drift = step.length, .last_kick = 0.5 * step.length};
}

}  // namespace trellis
