#include "trellis/forces/precision.hpp"

namespace trellis {

namespace {

// Single precision ranges from 1e-38 to 1e38. Between these sides of the root cell and these total strengths, strengths
// over powers of distances, down to the cells of the deepest level, stay within.
constexpr double smallest_single_side = 1e-5, largest_single_side = 1e9;
constexpr double smallest_single_strength = 1e-20, largest_single_strength = 1e20;

}  // namespace

bool single_suits(Precision precision, double side, double strength) {
    if (precision != Precision::automatic) return precision == Precision::single_;
    return side > smallest_single_side && side < largest_single_side &&
           (strength == 0 || (strength > smallest_single_strength && strength < largest_single_strength));
}

}  // namespace trellis
