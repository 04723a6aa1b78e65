// The rule by which a system takes another volume. For kernel sources only.
#pragma once

#include <cmath>

#include "trellis/base/isa.hpp"
#include "trellis/ensembles/kernels/system.hpp"

namespace trellis {
TRELLIS_ISA_BEGIN

// A move from V to V' = V + volume. logarithm: ln(V'/V), drawn evenly between two limits; energy: the change of U.
struct VolumeMove {
    double logarithm, volume, energy;
};

// True with the probability min{1, exp[(N + 1) ln(V'/V) - (dU + P dV) / k T]}, where uniform is a number of [0, 1): the
// density exp[-(U + P V) / k T] V^N dV is preserved (Eppenga & Frenkel 1984). For an ideal gas, <V> = (N + 1) k T / P.
TRELLIS_HOST_DEVICE inline bool volume_accepted(const System& system, const VolumeMove& move, double uniform) {
    const double enthalpy = move.energy + system.barostat.pressure * move.volume;
    const double exponent = (system.count + 1.0) * move.logarithm - enthalpy / system.temperature;
    return exponent >= 0 || uniform < std::exp(exponent);
}

TRELLIS_ISA_END
}  // namespace trellis
