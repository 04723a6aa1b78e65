#include "trellis/forces/tree/device/gpu_moments.hpp"

#include "trellis/devices/gpu/grid_kernel.cuh"
#include "trellis/forces/tree/kernels/device_moments.hpp"

namespace trellis {
TRELLIS_GPU_BEGIN
namespace {

template <int Order, class R>
void register_moments_at() {
    register_kernel(gpu_kind, leaf_moments_kernel(Order, sizeof(R)), launch_grid_on_gpu<LeafMoments<Order, R>>);
    register_kernel(gpu_kind, parent_moments_kernel(Order, sizeof(R)), launch_grid_on_gpu<ParentMoments<Order, R>>);
}

}  // namespace
TRELLIS_GPU_END

void TRELLIS_GPU::register_moments() {
    unroll<highest_order - 1>([](auto k) {
        register_moments_at<k + 2, float>();
        register_moments_at<k + 2, double>();
    });
}

}  // namespace trellis
