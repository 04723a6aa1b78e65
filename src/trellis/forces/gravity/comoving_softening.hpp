// Softening lengths in expanding space.
#pragma once

#include <algorithm>
#include <limits>

namespace trellis {

// A length in comoving coordinates that is held at a physical one from when it has grown to that.
struct ComovingSoftening {
    double comoving = 0;
    double max_physical = std::numeric_limits<double>::infinity();

    // The comoving length at a scale factor a >= 0; infinity: no limit, at any time.
    double at(double a) const {
        const bool held = max_physical < std::numeric_limits<double>::infinity();
        return held ? std::min(comoving, max_physical / a) : comoving;  // without expansion a time may be below 0
    }
};

}  // namespace trellis
