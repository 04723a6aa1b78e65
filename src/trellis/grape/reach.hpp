// The largest magnitude among values that are written piece by piece, which sets the unit of single precision.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>

namespace trellis {

class Reach {
  public:
    // Includes values from number first on. If first is 0, earlier values are forgotten.
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
