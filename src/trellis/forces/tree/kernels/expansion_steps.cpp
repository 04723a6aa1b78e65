#include "trellis/forces/tree/kernels/expansion_steps.hpp"

namespace trellis {

template <>
ExpansionSteps<float> expansion_steps(int order) {
    return TRELLIS_VARIANT(expansion_steps_in_single)(order);
}

template <>
ExpansionSteps<double> expansion_steps(int order) {
    return TRELLIS_VARIANT(expansion_steps_in_double)(order);
}

}  // namespace trellis
