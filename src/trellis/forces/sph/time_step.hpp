// Limits of the time step of a gas.
#pragma once

#include <cmath>

namespace trellis {

// The limit of Courant, Friedrichs & Lewy: no signal may cross more than a share of the support's radius h.
// signal_speed is that of Hydro, twice the speed of sound in a gas at rest: a courant of 0.3 is Gadget's 0.15.
inline double courant_step(double courant, double h, double signal_speed) { return courant * h / signal_speed; }

// The limit by acceleration: no particle may be accelerated across more than a share of h. Courant's limit says nothing
// about a cold gas at rest. courant: as above.
inline double acceleration_step(double courant, double h, double acceleration) {
    return courant * std::sqrt(h / acceleration);
}

}  // namespace trellis
