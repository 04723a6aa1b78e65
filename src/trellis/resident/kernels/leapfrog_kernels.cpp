#include "trellis/resident/kernels/leapfrog_kernels.hpp"

#include "trellis/devices/cpu_grid.hpp"

namespace trellis {

void register_leapfrog_kernels() {
    register_for_cpu(LeapfrogKernels{});
    TRELLIS_CALL_FOR_GPUS(register_leapfrog_kernels_for_gpus());
}

}  // namespace trellis
