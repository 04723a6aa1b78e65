// The kernels of a long-range interaction on the processor, of pairs and of far fields, registered by name.
#pragma once

#include "trellis/forces/tree/kernels/interaction_kernels.hpp"

namespace trellis {

void provide_pairs(const InteractionKernels& interaction);

}  // namespace trellis
