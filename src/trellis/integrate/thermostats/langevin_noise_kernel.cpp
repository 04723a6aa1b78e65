// Compiled with -ffp-contract=off, so that all instruction sets give the same bits: src/trellis/CMakeLists.txt.
#include "trellis/integrate/thermostats/langevin_noise_kernel.hpp"

#include "trellis/base/vector_words.hpp"

namespace trellis {
TRELLIS_ISA_BEGIN

void langevin_noise_of_block(std::uint64_t seed, const std::uint64_t* particles, std::uint64_t call,
                             LangevinBlock& noise) {
    for (std::size_t k = 0; k < langevin_block; k += lanes<double>) {
        const auto of_lanes = langevin_noise<Vector<double>>(seed, load_unaligned(particles + k), call);
        for (std::size_t axis = 0; axis < 3; ++axis) store(of_lanes[axis], noise.axis[axis] + k);
    }
}

TRELLIS_ISA_END
}  // namespace trellis
