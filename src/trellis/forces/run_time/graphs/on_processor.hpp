// The kernels of a graph on the processor, with the input and output of those that a GPU compiles (pair_text.hpp): by
// compiled loops where the process has a compiler, else node by node, for many pairs at a time.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

#include "trellis/base/isa.hpp"
#include "trellis/devices/kernels.hpp"
#include "trellis/forces/run_time/graphs/pair_graph.hpp"
#include "trellis/forces/run_time/graphs/small_sets.hpp"
#include "trellis/forces/run_time/loops/loop_compiler.hpp"

namespace trellis {

using GraphOnProcessor = std::function<void(const KernelCall&)>;

// The kernel "pairs" or, of short range, "neighbours" or "masked". loops: of the graph in this precision; null: node by
// node, as masked pairs always are.
TRELLIS_DECLARE_VARIANTS(GraphOnProcessor graph_on_processor(PairGraph graph, std::size_t value_bytes, bool masked,
                                                             std::shared_ptr<const LoopsOfGraph> loops))

// The kernel over small sets. excluding: pairs are excluded.
TRELLIS_DECLARE_VARIANTS(GraphOnProcessor small_sets_on_processor(PairGraph graph, SetResults results, bool excluding))

}  // namespace trellis
