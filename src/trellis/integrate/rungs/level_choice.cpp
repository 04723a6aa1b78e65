#include "trellis/integrate/rungs/level_choice.hpp"

#include <cmath>
#include <limits>

namespace trellis {

namespace {

// For the particles of rungs >= r: least[r] is their least cost, next[r] the rung of the first of their levels.
struct Cheapest {
    std::array<double, deepest_rung + 2> least{};
    LevelOfRung next{};
};

// From the deepest rung on; deeper[r] is the number of particles of rungs >= r.
Cheapest cheapest_levels(const RungCounts& counts, unsigned first, const LevelCosts& costs) {
    Cheapest cheapest;
    auto& [least, next] = cheapest;
    std::array<double, deepest_rung + 2> deeper{};
    for (unsigned rung = deepest_rung + 1; rung-- > first;) {
        const double particles = deeper[rung] = deeper[rung + 1] + static_cast<double>(counts[rung]);
        least[rung] = particles == 0 ? 0 : std::numeric_limits<double>::infinity();
        next[rung] = rung;
        for (unsigned level = rung; level <= deepest_rung && particles > 0; ++level) {
            const double step = costs.among_level * (particles + overhead_of_level) +
                                costs.at_own_steps * (particles - deeper[level + 1]);
            const double cost = std::ldexp(step, static_cast<int>(level)) + least[level + 1];
            if (cost >= least[rung]) continue;
            least[rung] = cost;
            next[rung] = level;
        }
    }
    return cheapest;
}

}  // namespace

double least_cost(const RungCounts& counts, unsigned first, const LevelCosts& costs) {
    return cheapest_levels(counts, first, costs).least[first];
}

LevelOfRung choose_levels(const RungCounts& counts, unsigned first, const LevelCosts& costs) {
    const LevelOfRung next = cheapest_levels(counts, first, costs).next;
    LevelOfRung levels{};
    unsigned level = first;
    for (unsigned rung = first; rung <= deepest_rung; ++rung) {
        if (rung == first || rung > level) level = next[rung];
        levels[rung] = level;
    }
    return levels;
}

}  // namespace trellis
