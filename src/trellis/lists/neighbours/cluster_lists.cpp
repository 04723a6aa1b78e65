#include "trellis/lists/neighbours/cluster_lists.hpp"

#include <algorithm>
#include <memory>

#include "trellis/base/parallel.hpp"
#include "trellis/lists/neighbours/narrowing.hpp"

namespace trellis {

namespace {

// The memory of a thread.
struct Memory {
    StagedGroup staged;
    Narrowing narrowing;
};

}  // namespace

void ClusterLists::make(const NeighbourLists& lists, const SearchTree& own, const SearchTree& ghosts, Search search,
                        double skin, Phases& phases) {
    const PhaseTimer timer(phases, Phase::make_interaction_list);
    const auto groups = lists.groups();
    begin(lists.number(), groups.size());
    const GroupFrame frame = frame_of(own, ghosts, search, skin);
    std::vector<std::unique_ptr<Memory>> memories;
    memories.reserve(static_cast<std::size_t>(thread_count()));
    for (int thread = 0; thread < thread_count(); ++thread)
        memories.push_back(std::make_unique<Memory>(StagedGroup(own, ghosts, frame)));
    parallel_tasks(groups.size(), [&](std::size_t g, int thread) {
        auto& [staged, narrowing] = *memories[static_cast<std::size_t>(thread)];
        const NeighbourGroup& group = groups[g];
        staged.stage(group, [&](std::uint32_t image) { return lists.shift(image); });
        narrowing.begin(staged, frame, own.zone(own.leaves()[g]), groups_[g]);
        for (std::uint32_t b = 0; b < group.blocks(); ++b) {
            const std::uint32_t first = b * SearchTree::block_size;
            narrowing.add_block(group.list(b), first, std::min(first + SearchTree::block_size, group.count));
        }
    });
}

}  // namespace trellis
