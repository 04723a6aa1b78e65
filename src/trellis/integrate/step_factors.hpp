// The factors of accelerations and velocities in one leapfrog step.
#pragma once

namespace trellis {

// Plain times in a space that does not expand; for expanding space see comoving/expansion.hpp.
struct StepFactors {
    double first_kick = 0, drift = 0, last_kick = 0;
};

}  // namespace trellis
