// Softening lengths in expanding space.
#pragma once

#include <algorithm>
#include <limits>

namespace trellis {

// A softening that is constant in comoving coordinates until its physical length reaches the maximum, and constant in
// physical coordinates from then on.
struct ComovingSoftening {
    double comoving = 0;
    double max_physical = std::numeric_limits<double>::infinity();

    // The comoving length at a scale factor a >= 0. An infinite maximum is no limit, for any time a.
    double at(double a) const {
        const bool held = max_physical < std::numeric_limits<double>::infinity();
        return held ? std::min(comoving, max_physical / a) : comoving;  // without expansion a time may be below 0
    }
};

}  // namespace trellis
