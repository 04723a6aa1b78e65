// The length of a step: fixed or chosen, and never beyond a given end.
#pragma once

#include <algorithm>
#include <cmath>

namespace trellis {

struct StepLength {
    double length;  // time over which the step kicks and drifts
    double end;     // the time after it
};

// True if time has reached the end, up to a thousandth of a step: a shorter step is not worth taking.
inline bool reached(double time, double timestep, double end) { return time >= end - 1e-3 * timestep; }

// A step of length timestep, or, as the last one before the end, of what is left. The last step may be up to a
// thousandth longer than timestep, so that no tiny step remains. Sums of times are rounded: if what is left differs
// from timestep by less than a millionth of it, the step is a full one and its end the sum, so that an end on the way
// changes no bit of a run. end: later than time, or infinite.
inline StepLength fixed_step(double time, double timestep, double end) {
    const double left = end - time;
    const bool last = left <= (1 + 1e-3) * timestep && std::abs(left - timestep) > 1e-6 * timestep;
    return last ? StepLength{left, end} : StepLength{timestep, time + timestep};
}

// A step of at most the allowed length. The steps that remain up to the end are equally long, as far as is known now.
inline StepLength chosen_step(double time, double allowed, double end) {
    const double left = end - time;
    const double length = std::isinf(left) ? allowed : std::min(allowed, left / std::ceil(left / allowed));
    return {length, left <= allowed ? end : time + length};
}

}  // namespace trellis
