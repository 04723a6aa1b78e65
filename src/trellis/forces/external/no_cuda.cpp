// Replaces built_in_fields.cu in builds without CUDA.
#include "trellis/forces/external/built_in_fields.hpp"

namespace trellis {

void register_built_in_fields() {}

}  // namespace trellis
