#include "trellis/integrate/rungs/level_choice.hpp"

#include <cmath>
#include <limits>

namespace trellis {

// From the deepest rung on: least[r] is the least cost of the particles of rungs >= r, next[r] the rung of the first of
// their levels.
LevelOfRung choose_levels(const RungCounts& counts, unsigned first) {
    std::array<double, deepest_rung + 2> least{};
    LevelOfRung next{};
    double particles = 0;
    for (unsigned rung = deepest_rung + 1; rung-- > first;) {
        particles += static_cast<double>(counts[rung]);
        least[rung] = particles == 0 ? 0 : std::numeric_limits<double>::infinity();
        next[rung] = rung;
        for (unsigned level = rung; level <= deepest_rung && particles > 0; ++level) {
            const double cost = std::ldexp(particles + overhead_of_level, static_cast<int>(level)) + least[level + 1];
            if (cost >= least[rung]) continue;
            least[rung] = cost;
            next[rung] = level;
        }
    }
    LevelOfRung levels{};
    unsigned level = first;
    for (unsigned rung = first; rung <= deepest_rung; ++rung) {
        if (rung == first || rung > level) level = next[rung];
        levels[rung] = level;
    }
    return levels;
}

}  // namespace trellis
