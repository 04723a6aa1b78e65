// Systems whose interaction is compiled at run time, on the processor of this process.
#pragma once

#include <memory>

#include "trellis/base/isa.hpp"
#include "trellis/ensembles/kernels/run_time_system.hpp"
#include "trellis/ensembles/kernels/system_kernels.hpp"

namespace trellis {

// The kernels of a pair that has tiles; the bytes of its interaction are a RunTimeSystem. Pairs that read the same
// fields, in the same order, have the same kernels. Throws InputError for fields of more than most_components
// components.
TRELLIS_DECLARE_VARIANTS(SystemKernels systems_at_run_time(const std::shared_ptr<const RunTimePair>& pair))

}  // namespace trellis
