// Balls in open or periodic space, and whether a position lies in one of them.
#pragma once

#include <span>
#include <vector>

#include "trellis/base/vec.hpp"
#include "trellis/particles/region.hpp"

namespace trellis {

struct Ball {
    Vec3<double> centre;
    double radius;  // 0 or more
};

class Balls {
  public:
    Balls(std::span<const Ball> balls, const Region& region);

    // True for a position that lies, or has an image, in one of the balls.
    bool contain(const Vec3<double>& position) const;

  private:
    bool near(const Ball& ball, const Vec3<double>& position) const;

    Region region_;
    std::vector<Ball> by_x_;  // centres within the box, by x; where x is periodic with images beyond its faces
    double largest_ = 0;      // of the radii; at most the box's side, where x is periodic
};

}  // namespace trellis
