#include "trellis/integrate/thermostats/langevin_noise.hpp"

#include "trellis/integrate/thermostats/langevin_noise_kernel.hpp"

namespace trellis {

void langevin_noise(std::uint64_t seed, const std::uint64_t* particles, std::uint64_t call, LangevinBlock& noise) {
    static const auto of_block = TRELLIS_VARIANT(langevin_noise_of_block);
    of_block(seed, particles, call, noise);
}

}  // namespace trellis
