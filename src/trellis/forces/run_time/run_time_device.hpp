// Interactions that are compiled at run time, on devices: their kernels are made of a graph (graphs/pair_graph.hpp).
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "trellis/forces/run_time/run_time_pair.hpp"
#include "trellis/forces/short_range/kernels/neighbour_kernels.hpp"
#include "trellis/forces/tree/kernels/interaction_kernels.hpp"

namespace trellis {

// Adds what devices need to the tables of a pair, and registers its kernels.
void provide_on_devices(const RunTimePair& pair, InteractionKernels& kernels);
void provide_on_devices(const RunTimePair& pair, NeighbourKernels& kernels);

// Registers the kernels of the far field of an expandable pair at an order above 1, in both precisions.
void provide_far_field_on_devices(const RunTimePair& pair, int order);

// Registers the kernel of a graph over a tree in a precision: pairs_kernel(name, value_bytes).
void register_pair_kernel(const std::string& name, std::span<const std::byte> graph, std::size_t value_bytes);

}  // namespace trellis
