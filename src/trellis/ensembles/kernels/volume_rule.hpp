// The rule by which a system takes another volume. For kernel sources only.
#pragma once

#include <cmath>

#include "trellis/base/isa.hpp"
#include "trellis/ensembles/kernels/system.hpp"

namespace trellis {
TRELLIS_ISA_BEGIN

// From V to V' = V + volume; logarithm: ln(V'/V), drawn evenly between two limits; energy: what it adds to U.
struct VolumeMove {
    double logarithm, volume, energy;
};

// True with the probability min{1, exp[(N + 1) ln(V'/V) - (dU + P dV) / k T]}, where uniform is a number of [0, 1): so
// that the density exp[-(U + P V) / k T] V^N dV stays as it is (Eppenga & Frenkel 1984). Of an ideal gas, <V> = (N + 1)
// k T / P.
TRELLIS_HOST_DEVICE inline bool volume_accepted(const System& system, const VolumeMove& move, double uniform) {
    const double enthalpy = move.energy + system.barostat.pressure * move.volume;
    const double exponent = (system.count + 1.0) * move.logarithm - enthalpy / system.temperature;
    return exponent >= 0 || uniform < std::exp(exponent);
}

TRELLIS_ISA_END
}  // namespace trellis
