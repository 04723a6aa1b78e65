// The kernels of a short-range interaction on the processor, registered by name.
#pragma once

#include "trellis/forces/short_range/kernels/neighbour_kernels.hpp"

namespace trellis {

void provide_neighbours(const NeighbourKernels& interaction);

}  // namespace trellis
