// Langevin's random kicks, compiled for each instruction set.
#pragma once

#include "trellis/base/isa.hpp"
#include "trellis/integrate/thermostats/langevin_noise.hpp"

namespace trellis {

TRELLIS_DECLARE_VARIANTS(void langevin_noise_of_block(std::uint64_t seed, const std::uint64_t* particles,
                                                      std::uint64_t call, LangevinBlock& noise))

}  // namespace trellis
