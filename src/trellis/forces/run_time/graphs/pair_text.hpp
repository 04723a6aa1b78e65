// The kernels of an interaction on a GPU as text (devices/kernel_text.hpp): over the lists of a tree, over neighbour
// lists, or within small sets. The first two have the input and output of the kernels of compiled interactions, and
// their order of work: forces/tree/device/pairs.cuh, forces/short_range/kernels/neighbour_grid.hpp.
#pragma once

#include <cstdint>
#include <string>

#include "trellis/forces/run_time/graphs/pair_graph.hpp"
#include "trellis/forces/run_time/graphs/small_sets.hpp"

namespace trellis {

// The number of i-particles that a thread owns in the kernels over a tree.
constexpr std::uint32_t owned_in(bool single) { return single ? 4 : 2; }

// The kernel "pairs" or, of short range, "neighbours", in single or double precision.
std::string pair_text(const PairGraph& graph, bool single);
// The kernel "masked" of a graph of short range: it adds the pairs of masked entries, each by its factor.
std::string masked_text_of(const PairGraph& graph, bool single);
// The kernel "small_sets", in single precision.
std::string small_sets_text_of(const PairGraph& graph, const SetResults& results, bool excluding);

}  // namespace trellis
