#include "trellis/integrate/rungs/balls.hpp"

#include <algorithm>
#include <cmath>

namespace trellis {

Balls::Balls(std::span<const Ball> balls, const Region& region) : region_(region) {
    const double side = region.high.x - region.low.x;  // infinite in open space
    for (const Ball& ball : balls) largest_ = std::max(largest_, std::min(ball.radius, side));
    for (const Ball& ball : balls) {
        const Vec3<double> centre = region.wrapped(ball.centre);
        by_x_.push_back({centre, ball.radius});
        if (!region.periodic(0)) continue;
        if (centre.x - region.low.x <= largest_) by_x_.push_back({centre + Vec3<double>{side, 0, 0}, ball.radius});
        if (region.high.x - centre.x <= largest_) by_x_.push_back({centre - Vec3<double>{side, 0, 0}, ball.radius});
    }
    std::ranges::sort(by_x_, {}, [](const Ball& ball) { return ball.centre.x; });
}

bool Balls::contain(const Vec3<double>& position) const {
    const Vec3<double> at = region_.wrapped(position);
    const auto x = [](const Ball& ball) { return ball.centre.x; };
    for (auto ball = std::ranges::lower_bound(by_x_, at.x - largest_, {}, x);
         ball != by_x_.end() && ball->centre.x <= at.x + largest_; ++ball)
        if (near(*ball, at)) return true;
    return false;
}

bool Balls::near(const Ball& ball, const Vec3<double>& position) const {
    Vec3<double> apart = position - ball.centre;
    for (std::size_t axis = 0; axis < 3; ++axis)
        if (region_.periodic(axis)) apart[axis] = std::remainder(apart[axis], region_.high[axis] - region_.low[axis]);
    return dot(apart, apart) <= ball.radius * ball.radius;
}

}  // namespace trellis
