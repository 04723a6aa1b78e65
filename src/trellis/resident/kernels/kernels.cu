// Compiled with --fmad=false: trees and lists have the bits of the processor's (tools/check_fmad.py).
#include "trellis/resident/kernels/kernels.hpp"

#include "trellis/devices/gpu/grid_kernel.cuh"
#include "trellis/resident/kernels/expansion_kernels.hpp"
#include "trellis/resident/kernels/force_kernels.hpp"
#include "trellis/resident/kernels/list_kernels.hpp"
#include "trellis/resident/kernels/particle_kernels.hpp"
#include "trellis/resident/kernels/short_range_kernels.hpp"
#include "trellis/resident/kernels/tree_kernels.hpp"

namespace trellis {

void TRELLIS_GPU::register_resident_kernels_for_gpus() {
    register_for_gpu(ParticleGridKernels{});
    register_for_gpu(TreeGridKernels{});
    register_for_gpu(ListGridKernels{});
    register_for_gpu(ForceGridKernels{});
    register_for_gpu(ExpansionGridKernels{});
    register_for_gpu(ShortRangeGridKernels{});
}

}  // namespace trellis
