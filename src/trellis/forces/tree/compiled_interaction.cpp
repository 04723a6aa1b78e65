#include "trellis/forces/tree/compiled_interaction.hpp"

namespace trellis {

bool CompiledInteraction::single(const ListedTree& listed) const {
    return single_suits(precision, listed.scale().side, listed.scale().weight);
}

}  // namespace trellis
