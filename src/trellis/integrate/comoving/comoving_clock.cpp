#include "trellis/integrate/comoving/comoving_clock.hpp"

#include <algorithm>
#include <cmath>

namespace trellis {

double ComovingClock::next_allowed(double longest) const {
    const double now = expansion_.allowed(time(), longest);
    return limited_by_forces() ? std::min(now, step_growth * allowed()) : now;
}

double ComovingClock::time_within(double share) const {
    return share == 1 ? step().end : time() * std::exp(share * std::log(step().end / time()));
}

double ComovingClock::share_allowed(double time, double longest) const {
    return expansion_.allowed_by_forces(time, longest) / std::log(step().end / this->time());
}

}  // namespace trellis
