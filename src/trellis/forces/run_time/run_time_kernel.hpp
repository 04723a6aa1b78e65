// The tables of an interaction that is compiled at run time, for each instruction set.
#pragma once

#include "trellis/base/isa.hpp"
#include "trellis/forces/run_time/run_time_pair.hpp"
#include "trellis/forces/short_range/kernels/neighbour_kernels.hpp"
#include "trellis/forces/tree/kernels/interaction_kernels.hpp"

namespace trellis {

// Without kernels for devices. The name in the table is that of the pair, which must live as long.
TRELLIS_DECLARE_VARIANTS(InteractionKernels run_time_tree_kernels(const RunTimePair& pair))
TRELLIS_DECLARE_VARIANTS(NeighbourKernels run_time_neighbour_kernels(const RunTimePair& pair))

// The bytes of a vector, for which functions are to be compiled.
TRELLIS_DECLARE_VARIANTS(std::size_t run_time_vector_bytes())

}  // namespace trellis
