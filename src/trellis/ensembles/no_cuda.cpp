// Stands in for built_in.cu where there is no CUDA.
#include "trellis/ensembles/built_in.hpp"

namespace trellis {

void register_built_in_systems_for_cuda() {}

}  // namespace trellis
