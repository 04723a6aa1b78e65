// Stands in for leapfrog_kernels.cu where there is no CUDA.
#include "trellis/integrate/leapfrog_kernels.hpp"

namespace trellis {

void register_leapfrog_kernels_for_cuda() {}

}  // namespace trellis
