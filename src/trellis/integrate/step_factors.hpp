// By what accelerations and velocities are multiplied in one step of the leapfrog.
#pragma once

namespace trellis {

// Times, in a space that does not expand; elsewhere see comoving/expansion.hpp.
struct StepFactors {
    double first_kick = 0, drift = 0, last_kick = 0;
};

}  // namespace trellis
