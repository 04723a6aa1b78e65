// Moves of a volume, for one set of particles or for many: how one is drawn, and the rule by which it is accepted.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>

#include "trellis/base/philox.hpp"
#include "trellis/integrate/barostats/barostat.hpp"

namespace trellis {

// The random numbers of the move after `steps` steps depend on seed and step alone.
struct VolumeDraw {
    double move;    // in ln V, evenly between both limits
    double chance;  // of [0, 1)

    __attribute__((always_inline)) TRELLIS_HOST_DEVICE VolumeDraw(const Barostat& barostat, std::uint64_t steps) {
        const auto low = [](std::uint64_t bits) { return static_cast<std::uint32_t>(bits); };
        const auto high = [](std::uint64_t bits) { return static_cast<std::uint32_t>(bits >> 32); };
        const std::uint64_t seed = barostat.seed;
        const auto words = philox({low(steps), high(steps), 0, domain_of_volumes}, {low(seed), high(seed)});
        const auto uniform = [&](std::size_t k) {
            return 0x1p-53 * static_cast<double>((std::uint64_t{words[k]} << 32 | words[k + 1]) >> 11);
        };
        move = (2 * uniform(0) - 1) * barostat.longest_move;
        chance = uniform(2);
    }
};

// A move from V to V' = V + volume. logarithm: ln(V'/V); energy: the change of U.
struct VolumeMove {
    double logarithm, volume, energy;
};

// True with the probability min{1, exp[(N + 1) ln(V'/V) - (dU + P dV) / k T]}, where chance is a number of [0, 1): the
// density exp[-(U + P V) / k T] V^N dV is preserved (Eppenga & Frenkel 1984). For an ideal gas, <V> = (N + 1) k T / P.
__attribute__((always_inline)) TRELLIS_HOST_DEVICE inline bool volume_accepted(const Barostat& barostat,
                                                                               double particles, double temperature,
                                                                               const VolumeMove& move, double chance) {
    const double enthalpy = move.energy + barostat.pressure * move.volume;
    const double exponent = (particles + 1) * move.logarithm - enthalpy / temperature;
    return exponent >= 0 || chance < std::exp(exponent);
}

}  // namespace trellis
