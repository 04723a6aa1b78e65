// The precision of a force's arithmetic: asked for, or chosen by the range of its values.
#pragma once

namespace trellis {

enum class Precision {
    automatic,  // single, unless the extent of the particles is out of its range
    single_,
    double_
};

// True if single precision is asked for, or its range suits particles in a root cell of this side, with this total
// strength.
bool single_suits(Precision precision, double side, double strength);

}  // namespace trellis
