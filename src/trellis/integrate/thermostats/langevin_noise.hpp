// The random kicks of Langevin's thermostat: each depends on the seed, the particle and the call alone.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>

#include "trellis/base/normals.hpp"
#include "trellis/base/philox.hpp"

namespace trellis {

// Three normal numbers, independent and of variance 1. particle: an id, or a vector of ids with as many lanes as V.
template <class V = double, class Word = std::uint64_t>
TRELLIS_HOST_DEVICE __attribute__((always_inline)) inline Vec3<V> langevin_noise(std::uint64_t seed,
                                                                                 const Word& particle,
                                                                                 std::uint64_t call) {
    const auto low = static_cast<std::uint32_t>(seed), high = static_cast<std::uint32_t>(seed >> 32);
    const Word none = particle ^ particle;
    const std::uint64_t last = domain_of_thermostats | (call >> 32);
    const auto words = philox_in_halves<Word>({particle, particle >> 32, none | call, none | last}, {low, high});
    return three_normals<V>(words[0], words[1], words[2], words[3]);
}

// The same for langevin_block particles, in vectors. The bits are those of the scalar function on every instruction
// set.
inline constexpr std::size_t langevin_block = 16;
struct LangevinBlock {
    alignas(64) double axis[3][langevin_block];
};
void langevin_noise(std::uint64_t seed, const std::uint64_t* particles, std::uint64_t call, LangevinBlock& noise);

// One exact step of the Ornstein-Uhlenbeck process for a particle of mass 1: the share of the velocity that is kept,
// and the amplitude of the noise. temperature: k T, an energy.
struct LangevinShares {
    double kept, noise;
    TRELLIS_HOST_DEVICE LangevinShares(double time, double temperature, double relaxation_time)
        : kept(std::exp(-time / relaxation_time)),
          noise(std::sqrt(-std::expm1(-2 * time / relaxation_time) * temperature)) {}
};

}  // namespace trellis
