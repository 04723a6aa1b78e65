// The precision of a force's arithmetic: asked for, or chosen by the range of its values.
#pragma once

#include "trellis/base/vec.hpp"

namespace trellis {

enum class Precision {
    automatic,  // single, unless the extent of the particles is out of its range
    single_,
    double_
};

// Single precision ranges from 1e-38 to 1e38. Between these sides of the root cell and these total strengths, strengths
// over powers of distances, down to the cells of the deepest level, stay within.
TRELLIS_HOST_DEVICE inline bool in_single_range(double side, double strength) {
    constexpr double smallest_side = 1e-5, largest_side = 1e9;
    constexpr double smallest_strength = 1e-20, largest_strength = 1e20;
    return side > smallest_side && side < largest_side &&
           (strength == 0 || (strength > smallest_strength && strength < largest_strength));
}

// True if single precision is asked for, or its range suits particles in a root cell of this side, with this total
// strength.
bool single_suits(Precision precision, double side, double strength);

}  // namespace trellis
