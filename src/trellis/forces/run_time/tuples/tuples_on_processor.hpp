// The kernel of a tuple's graph on the processor: each tuple is computed once, a batch of tuples at a time.
#pragma once

#include <functional>

#include "trellis/base/isa.hpp"
#include "trellis/devices/kernels.hpp"
#include "trellis/forces/run_time/tuples/tuple_graph.hpp"

namespace trellis {

using TuplesOnProcessor = std::function<void(const KernelCall&)>;

TRELLIS_DECLARE_VARIANTS(TuplesOnProcessor tuples_on_processor(TupleGraph tuple))

}  // namespace trellis
