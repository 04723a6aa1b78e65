// The length of a step: fixed or chosen, and never beyond an end that is to be met.
#pragma once

#include <algorithm>
#include <cmath>

namespace trellis {

struct StepLength {
    double length;  // of the kicks and the drift
    double end;     // the time after it
};

// True if the time has come to the end, up to a thousandth of a step: no step is worth taking for less.
inline bool reached(double time, double timestep, double end) { return time >= end - 1e-3 * timestep; }

// A step as long as all others, but for the last one before the end, which is as long as what is left; or a thousandth
// longer than the others, so that no stump remains. Times that are added up are rounded: where a millionth of a step is
// missing, or too much, it is a full one, and its time the sum, so that ends on the way change no bit of a run. end:
// later than time, or infinite.
inline StepLength fixed_step(double time, double timestep, double end) {
    const double left = end - time;
    const bool last = left <= (1 + 1e-3) * timestep && std::abs(left - timestep) > 1e-6 * timestep;
    return last ? StepLength{left, end} : StepLength{timestep, time + timestep};
}

// A step at most as long as is allowed now. Steps up to an end are equally long, as far as can be known.
inline StepLength chosen_step(double time, double allowed, double end) {
    const double left = end - time;
    const double length = std::isinf(left) ? allowed : std::min(allowed, left / std::ceil(left / allowed));
    return {length, left <= allowed ? end : time + length};
}

}  // namespace trellis
