#include "trellis/integrate/comoving/comoving_clock.hpp"

#include <algorithm>

namespace trellis {

double ComovingClock::next_allowed(double longest) const {
    const double now = expansion_.allowed(time(), longest);
    return limited_by_forces() ? std::min(now, step_growth * allowed()) : now;
}

}  // namespace trellis
