#include "trellis/forces/tree/compiled_interaction.hpp"

namespace trellis {

bool CompiledInteraction::single(const ListedTree& listed) const {
    // The relative error of sums in single precision, where forces cancel in a periodic box.
    constexpr double rounding = 5e-6;
    const Scale& scale = listed.scale();
    if (precision == Precision::automatic && scale.tolerance * scale.side * scale.side < rounding * scale.weight)
        return false;
    return single_suits(precision, scale.side, scale.weight);
}

}  // namespace trellis
