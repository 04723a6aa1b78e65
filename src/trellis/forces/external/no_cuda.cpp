// Stands in for built_in_fields.cu where there is no CUDA.
#include "trellis/forces/external/built_in_fields.hpp"

namespace trellis {

void register_built_in_fields() {}

}  // namespace trellis
