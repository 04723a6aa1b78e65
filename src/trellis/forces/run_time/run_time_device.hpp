// Interactions that are compiled at run time, on GPUs: their kernels are texts (devices/kernel_text.hpp), written by
// python/trellis/interactions/code/device_kernels.py.
#pragma once

#include <cstdint>
#include <string>

#include "trellis/forces/run_time/run_time_pair.hpp"
#include "trellis/forces/short_range/kernels/neighbour_kernels.hpp"
#include "trellis/forces/tree/kernels/interaction_kernels.hpp"

namespace trellis {

// The number of i-particles that a thread owns in the kernels over a tree, as the texts have it.
inline constexpr std::uint32_t owned_in_single = 4, owned_in_double = 2;

// Adds what devices need to the tables of a pair, and registers its kernels.
void provide_on_devices(const RunTimePair& pair, InteractionKernels& kernels);
void provide_on_devices(const RunTimePair& pair, NeighbourKernels& kernels);

// Registers the kernels over a tree of an interaction, as texts in both precisions: pairs_kernel(name, ...).
void register_pair_texts(const std::string& name, const std::string& in_single, const std::string& in_double);

}  // namespace trellis
