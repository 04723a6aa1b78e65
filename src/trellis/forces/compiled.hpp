// An interaction ready to be evaluated: its kernels, its parameters, and the precision asked for.
#pragma once

#include <memory>

#include "trellis/forces/kernels.hpp"
#include "trellis/forces/settings.hpp"
#include "trellis/lists/listed_tree.hpp"

namespace trellis {

struct CompiledInteraction {
    InteractionKernels kernels;
    std::shared_ptr<const void> parameters;  // the interaction itself
    Precision precision;

    // Whether single precision is asked for, or its range holds for these particles.
    bool single(const ListedTree& listed) const;
};

}  // namespace trellis
