#include "trellis/forces/precision.hpp"

namespace trellis {

bool single_suits(Precision precision, double side, double strength) {
    if (precision != Precision::automatic) return precision == Precision::single_;
    return in_single_range(side, strength);
}

}  // namespace trellis
