#include "trellis/devices/cpu_grid.hpp"
#include "trellis/lists/neighbours/device/list_kernels.hpp"

namespace trellis {

void register_list_kernels() {
    register_for_cpu(ListMakingKernels{});
    register_list_kernels_for_cuda();
}

}  // namespace trellis
