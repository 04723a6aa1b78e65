// Which particles collide with the bath of Andersen's thermostat, for one set of particles or for many.
#pragma once

#include <cmath>
#include <cstdint>

#include "trellis/base/vec.hpp"

namespace trellis {

// A particle collides within `time` with the probability 1 - exp(-time / relaxation_time): if the sum of the squares of
// two normal numbers, drawn for collisions alone, is above this.
TRELLIS_HOST_DEVICE inline double collision_threshold(double time, double relaxation_time) {
    return -2 * std::log(-std::expm1(-time / relaxation_time));
}

// The call whose random numbers decide collisions, another one than that of the velocities.
TRELLIS_HOST_DEVICE inline std::uint64_t collision_call(std::uint64_t call) { return call | (std::uint64_t{1} << 62); }

}  // namespace trellis
