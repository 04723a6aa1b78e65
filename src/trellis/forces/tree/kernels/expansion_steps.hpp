// The steps of an expansion that do not depend on the interaction. The library has them for each instruction set,
// precision and order, so that programs with an interaction of their own need not compile them.
#pragma once

#include <array>
#include <cstddef>

#include "trellis/base/isa.hpp"
#include "trellis/devices/known_kernels.hpp"
#include "trellis/forces/tree/kernels/interaction_kernels.hpp"

namespace trellis {

template <class R>
struct ExpansionSteps {
    // See OrderKernels.
    std::size_t row_bytes, expansion_bytes;
    decltype(OrderKernels::describe_cells) describe_cells;  // P2M, M2M
    decltype(OrderKernels::join_moments) join_moments;      // M2M
    // L2L: adds the parent's local expansion, moved, to that of a target. offset: target's centre - parent's, in the
    // parent's units; ratio: target's unit / parent's unit.
    void (*add_parents_local)(const R* parent, const Vec3<R>& offset, R ratio, R* local);
    // L2P: potential and gradient at count positions about the target's centre, given and written component by
    // component; arrays are aligned and padded to cache lines.
    void (*field_of_local)(const R* local, R per_unit, const std::array<const R*, 3>& positions, std::size_t count,
                           const std::array<R*, 4>& field);
    // The processor's kernels of device_moments.hpp (P2M and M2M on a device) and their arguments.
    Kernel leaf_moments, parent_moments;
    KernelArguments leaf_arguments, parent_arguments;
};

// The steps for float and double, at an order of 2 to highest_order, for the instruction set chosen: chosen by the
// library, so that programs need not know the instruction sets.
template <class R>
ExpansionSteps<R> expansion_steps(int order);
template <>
ExpansionSteps<float> expansion_steps(int order);
template <>
ExpansionSteps<double> expansion_steps(int order);

TRELLIS_DECLARE_VARIANTS(ExpansionSteps<float> expansion_steps_in_single(int order))
TRELLIS_DECLARE_VARIANTS(ExpansionSteps<double> expansion_steps_in_double(int order))

}  // namespace trellis
