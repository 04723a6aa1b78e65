// Stands in for kernels.cu and leapfrog_kernels.cu where there is no CUDA.
#include "trellis/resident/kernels/kernels.hpp"
#include "trellis/resident/kernels/leapfrog_kernels.hpp"

namespace trellis {

void register_resident_kernels_for_cuda() {}
void register_leapfrog_kernels_for_cuda() {}

}  // namespace trellis
