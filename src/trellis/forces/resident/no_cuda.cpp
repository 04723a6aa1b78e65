// Stands in for kernels.cu where there is no CUDA.
#include "trellis/forces/resident/kernels.hpp"

namespace trellis {

void register_resident_kernels_for_cuda() {}

}  // namespace trellis
