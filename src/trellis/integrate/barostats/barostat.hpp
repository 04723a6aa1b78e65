// A constant pressure, kept by Monte Carlo moves of the volume.
#pragma once

#include <cstdint>
#include <string>

namespace trellis {

struct Barostat {
    std::uint64_t every = 0;  // steps from move to move; 0: the box does not change
    double pressure = 0;      // energy / length^3
    double longest_move = 0;  // in ln V
    std::uint64_t seed = 0;
    std::uint64_t tried = 0, accepted = 0;
};

// A sentence about settings that cannot be used; empty if they can.
std::string problem_of(const Barostat& barostat);

}  // namespace trellis
