// The kernels of a far graph on the processor.
#pragma once

#include <functional>

#include "trellis/base/isa.hpp"
#include "trellis/devices/kernels.hpp"
#include "trellis/forces/run_time/far_field/far_graph.hpp"

namespace trellis {

using FarOnProcessor = std::function<void(const KernelCall&)>;

TRELLIS_DECLARE_VARIANTS(FarOnProcessor far_on_processor(FarGraph far))

}  // namespace trellis
