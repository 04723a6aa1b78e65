// The largest magnitude among values that are written piece by piece, by which single precision is given its unit.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>

namespace trellis {

class Reach {
  public:
    // Values from number first on. Those that begin at 0 are new ones: what was there before counts no more.
    void widen(std::size_t first, std::span<const double> values) {
        if (first == 0) largest_ = 0;
        for (const double value : values) largest_ = std::max(largest_, std::abs(value));
    }
    double largest() const { return largest_; }

  private:
    double largest_ = 0;
};

// The power of two above a magnitude; 1 for 0.
inline double unit_above(double magnitude) {
    return magnitude > 0 && std::isfinite(magnitude) ? std::exp2(std::ilogb(magnitude) + 1) : 1.0;
}

}  // namespace trellis
