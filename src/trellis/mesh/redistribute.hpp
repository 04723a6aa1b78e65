// Moves an array that is spread over ranks in boxes to other boxes: the transposes between Fourier transforms.
#pragma once

#include <span>
#include <vector>

#include "trellis/mesh/node_box.hpp"
#include "trellis/ranks/comm/comm.hpp"

namespace trellis {

// from, to: the boxes of all ranks, which cover the same nodes once each; values: those of the box of this rank.
// Returns the values of its box of `to`. Ranks whose boxes have nothing in common exchange no message.
template <class Value>
std::vector<Value> redistribute(Comm& comm, std::span<const NodeBox> from, std::span<const NodeBox> to,
                                std::vector<Value> values);

}  // namespace trellis
