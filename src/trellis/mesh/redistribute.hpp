// Moves an array that is spread over ranks from one set of boxes to another: the transposes between Fourier transforms.
#pragma once

#include <span>
#include <vector>

#include "trellis/mesh/node_box.hpp"
#include "trellis/ranks/comm/comm.hpp"

namespace trellis {

// from, to: the boxes of all ranks, which cover the same nodes once each; values: of this rank's box of `from`. Returns
// the values of its box of `to`. Ranks whose boxes share no nodes exchange no message.
template <class Value>
std::vector<Value> redistribute(Comm& comm, std::span<const NodeBox> from, std::span<const NodeBox> to,
                                std::vector<Value> values);

}  // namespace trellis
