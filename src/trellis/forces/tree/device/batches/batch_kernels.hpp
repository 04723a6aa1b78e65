// The kernels of an interaction, as far as a batch of groups depends on them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "trellis/forces/tree/kernels/interaction_kernels.hpp"
#include "trellis/packing/moving_numbers.hpp"

namespace trellis {

struct BatchKernel {
    std::string name;                  // pairs_kernel(...)
    std::vector<std::byte> constants;  // PairsCall, LocalsCall or FarFieldCall, and behind it the interaction
    NumberRecords row;
    std::size_t row_bytes;
    std::size_t result_bytes;  // for one i-particle

    // For far cells that are no rows: locals_kernel(...), far_field_kernel(...); empty without any.
    std::string locals, far_field;
    std::size_t local_bytes = 0;  // of one local expansion
    int order = 1;                // of the expansions
    std::size_t cell_bytes = 0;   // of the row of a cell with moments
    std::uint32_t strength = 0;   // place of the strength in a row of a particle
    bool has_far_field() const { return !far_field.empty(); }

    // Copies the interaction's constants, which may change from step to step.
    void set_constants(const InteractionKernels& all, const void* interaction);
};

// The kernels of one precision, and of expansions of this order, for an interaction whose constants are set later.
BatchKernel batch_kernel(const InteractionKernels& all, const ForceKernels& kernels, int order);

}  // namespace trellis
