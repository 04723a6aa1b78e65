#include "trellis/devices/cpu_grid.hpp"
#include "trellis/lists/neighbours/device/list_kernels.hpp"

namespace trellis {

void register_list_kernels() {
    register_for_cpu(ListMakingKernels{});
    TRELLIS_CALL_FOR_GPUS(register_list_kernels_for_gpus());
}

}  // namespace trellis
