// The kernel of a tuple's graph on a GPU as text (devices/kernel_text.hpp), in double precision.
#pragma once

#include <string>

#include "trellis/forces/run_time/tuples/tuple_graph.hpp"

namespace trellis {

// The kernel "tuples".
std::string tuple_text(const TupleGraph& tuple);

}  // namespace trellis
