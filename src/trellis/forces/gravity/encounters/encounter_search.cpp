#include "trellis/forces/gravity/encounters/encounter_search.hpp"

#include <algorithm>

#include "trellis/base/parallel.hpp"

namespace trellis {

void find_faster(const EncounterTree& tree, const EncounterSpace& space, std::span<Encounter> encounters) {
    constexpr std::size_t task = 256;  // bodies
    const auto find = TRELLIS_VARIANT(find_among_others);
    parallel_tasks((encounters.size() + task - 1) / task, [&](std::size_t number, int) {
        const std::size_t begin = number * task;
        find(tree, space, begin, encounters.subspan(begin, std::min(task, encounters.size() - begin)));
    });
}

}  // namespace trellis
