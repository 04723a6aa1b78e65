// The processor's kernel expand_lists: see device_pairs.hpp.
#pragma once

#include "trellis/devices/kernels.hpp"

namespace trellis {

void expand_lists(const KernelCall& call);

}  // namespace trellis
