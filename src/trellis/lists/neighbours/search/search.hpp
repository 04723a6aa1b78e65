// Search modes, as in FDPS: the condition for i and j at distance r to interact.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

#include "trellis/particles/box.hpp"

namespace trellis {

enum class Search {
    gather,    // r < the radius of i; also the mode of a constant cutoff
    scatter,   // r < the radius of j
    symmetric  // r < the radius of either
};

// One radius for each particle, or one for all.
class Radii {
  public:
    explicit Radii(std::span<const double> values) : values_(values), step_(values.size() == 1 ? 0 : 1) {}

    double operator[](std::size_t row) const { return values_[row * step_]; }
    // One for all particles.
    bool constant() const { return step_ == 0; }

  private:
    std::span<const double> values_;
    std::size_t step_;
};

// The box around a set of particles, and their largest search radius.
struct Zone {
    Extent bounds;
    double radius;
};

TRELLIS_HOST_DEVICE inline Zone join(const Zone& a, const Zone& b) {
    return {join(a.bounds, b.bounds), std::max(a.radius, b.radius)};
}

// The squared distance between the nearest points of two boxes.
TRELLIS_HOST_DEVICE inline double gap2(const Extent& a, const Extent& b) {
    double sum = 0;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const double gap = std::max(std::max(a.low[axis] - b.high[axis], b.low[axis] - a.high[axis]), 0.0);
        sum += gap * gap;
    }
    return sum;
}

TRELLIS_HOST_DEVICE inline Extent moved(const Extent& extent, const Vec3<double>& shift) {
    return {extent.low + shift, extent.high + shift};
}

// The largest search radius of a pair whose radii are at most i_radius and j_radius.
TRELLIS_HOST_DEVICE inline double reach_of(Search search, double i_radius, double j_radius) {
    return search == Search::gather ? i_radius : search == Search::scatter ? j_radius : std::max(i_radius, j_radius);
}

// A search mode with search radii enlarged by a factor.
struct WiderSearch {
    Search search;
    double factor;  // >= 1

    // True if an i-particle of one zone may interact with a j-particle of another one.
    TRELLIS_HOST_DEVICE bool may_interact(const Zone& i, const Extent& j_bounds, double j_radius) const {
        const double reach = factor * reach_of(search, i.radius, j_radius);
        return gap2(i.bounds, j_bounds) <= reach * reach;
    }
};

}  // namespace trellis
