// The length of a step: fixed or chosen, and never beyond a given end.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace trellis {

struct StepLength {
    double length;  // time over which the step kicks and drifts
    double end;     // the time after it
};

// True if time has reached the end, up to a thousandth of a step: a shorter step is not worth taking.
inline bool reached(double time, double timestep, double end) { return time >= end - 1e-3 * timestep; }

// The time after a full step from `time` on. Times of fixed steps are origin + number * timestep, number being that of
// the step, so that an end on the way changes none of those behind it; after a shorter step they are sums.
inline double time_after(double time, double timestep, double origin, std::uint64_t number) {
    const double regular = origin + static_cast<double>(number) * timestep, sum = time + timestep;
    return std::abs(regular - sum) < 1e-6 * timestep ? regular : sum;
}

// A step of length timestep to the time next, which is that of time_after, or, as the last one before the end, of what
// is left. The last step may be up to a thousandth longer than timestep, so that no tiny step remains. Times are
// rounded: if what is left differs from timestep by less than a millionth of it, the step is a full one, so that an end
// on the way changes no bit of what follows. The time after the last step is the end itself. end: later than time, or
// infinite.
inline StepLength fixed_step(double time, double timestep, double next, double end) {
    const double left = end - time;
    if (left > (1 + 1e-3) * timestep) return {timestep, next};
    return {std::abs(left - timestep) > 1e-6 * timestep ? left : timestep, end};
}

// A step of at most the allowed length. The steps that remain up to the end are equally long, as far as is known now.
inline StepLength chosen_step(double time, double allowed, double end) {
    const double left = end - time;
    const double length = std::isinf(left) ? allowed : std::min(allowed, left / std::ceil(left / allowed));
    return {length, left <= allowed ? end : time + length};
}

}  // namespace trellis
