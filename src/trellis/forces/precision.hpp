// The precision of a force's arithmetic: asked for, or chosen by the range of its values.
#pragma once

#include "trellis/base/vec.hpp"

namespace trellis {

enum class Precision {
    automatic,  // single, unless the extent of the particles is out of range
    single_,
    double_
};

// Single precision ranges from 1e-38 to 1e38. With sides of the root cell and total strengths between these limits,
// strengths over powers of distances stay in that range, down to cells of the deepest level.
TRELLIS_HOST_DEVICE inline bool in_single_range(double side, double strength) {
    constexpr double smallest_side = 1e-5, largest_side = 1e9;
    constexpr double smallest_strength = 1e-20, largest_strength = 1e20;
    return side > smallest_side && side < largest_side &&
           (strength == 0 || (strength > smallest_strength && strength < largest_strength));
}

// True if single precision is asked for, or if its range suits particles of this total strength in a root cell of this
// side.
bool single_suits(Precision precision, double side, double strength);

}  // namespace trellis
