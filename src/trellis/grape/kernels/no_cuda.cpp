// Stands in for kernels.cu where there is no CUDA.
#include "trellis/grape/kernels/kernels.hpp"

namespace trellis {

void register_grape_kernels_for_cuda() {}

}  // namespace trellis
