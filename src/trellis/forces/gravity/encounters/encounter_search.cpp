#include "trellis/forces/gravity/encounters/encounter_search.hpp"

#include <algorithm>

#include "trellis/base/parallel.hpp"

namespace trellis {

std::vector<Encounter> fastest_encounters(const EncounterTree& tree, const EncounterSpace& space) {
    constexpr std::size_t task = 256;  // bodies
    std::vector<Encounter> encounters(tree.size());
    const auto find = TRELLIS_VARIANT(find_among_others);
    parallel_tasks((encounters.size() + task - 1) / task, [&](std::size_t number, int) {
        const std::size_t begin = number * task;
        find(tree, space, begin, std::span(encounters).subspan(begin, std::min(task, encounters.size() - begin)));
    });
    return encounters;
}

}  // namespace trellis
