// An interaction ready to be evaluated: its kernels, its parameters, and the precision asked for.
#pragma once

#include <memory>

#include "trellis/forces/precision.hpp"
#include "trellis/forces/tree/kernels/interaction_kernels.hpp"
#include "trellis/lists/walk/listed_tree.hpp"

namespace trellis {

struct CompiledInteraction {
    InteractionKernels kernels;
    std::shared_ptr<const void> parameters;  // the interaction itself
    Precision precision;

    // True if single precision is to be used: see single_suits.
    bool single(const ListedTree& listed) const;
};

}  // namespace trellis
