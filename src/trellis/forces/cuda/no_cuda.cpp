// Stands in for the kernels where there is no CUDA.
#include "trellis/forces/cuda/expand_lists.hpp"
#include "trellis/forces/cuda/gravity_pairs.hpp"

namespace trellis {

void register_expand_lists() {}
void register_gravity_pairs() {}

}  // namespace trellis
