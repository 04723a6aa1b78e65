#include "trellis/lists/neighbours/pruning.hpp"

#include <algorithm>
#include <limits>

#include "trellis/base/parallel.hpp"
#include "trellis/lists/neighbours/search/pruning_kernel.hpp"
#include "trellis/lists/neighbours/staged_group.hpp"

namespace trellis {

void ClusterLists::prune(const ClusterLists& wider, const NeighbourLists& lists, const SearchTree& own,
                         const SearchTree& ghosts, Search search, double skin, Phases& phases) {
    const PhaseTimer timer(phases, Phase::make_interaction_list);
    begin(lists.number(), lists.groups().size());
    const GroupFrame frame = frame_of(own, ghosts, search, skin);
    std::vector<Pruning> prunings(static_cast<std::size_t>(thread_count()), Pruning(lists, own, ghosts, frame));
    parallel_tasks(groups_.size(), [&](std::size_t g, int thread) {
        prunings[static_cast<std::size_t>(thread)].prune(static_cast<std::uint32_t>(g), wider.groups()[g], groups_[g]);
    });
}

void Pruning::prune(std::uint32_t group, const GroupClusters& wider, GroupClusters& pruned) {
    const NeighbourGroup& of = lists_.groups()[group];
    const Zone& zone = own_.zone(own_.leaves()[group]);
    const double reach = zone.radius * frame_.search.factor;
    margin_ = frame_.margin_of(reach, zone);
    write_rows(of, centre_of(zone));
    const float staged_reach = frame_.staged(reach + margin_);
    pruned.masked_begins = wider.masked_begins;
    pruned.masked = wider.masked;
    pruned.begins.assign(1, 0);
    pruned.entries.resize(wider.entries.size() + SearchTree::block_size);  // vectors are written behind the last entry
    for (std::uint32_t first = 0; first < of.count; first += SearchTree::cluster_size) {
        const auto list = wider.list(first / SearchTree::cluster_size);
        const ClusterRows cluster{rows_.data() + std::size_t{4} * first,
                                  std::min(SearchTree::cluster_size, of.count - first)};
        const std::uint32_t begin = pruned.begins.back();
        const auto count = static_cast<std::uint32_t>(list.size());
        std::uint32_t* out = pruned.entries.data() + begin;
        const std::size_t found =
            by_radii() ? TRELLIS_VARIANT(find_rows_in_reach)(rows_.data(), list.data(), count, cluster, out)
                       : TRELLIS_VARIANT(find_near_rows)(rows_.data(), list.data(), count, cluster, staged_reach, out);
        pruned.begins.push_back(begin + static_cast<std::uint32_t>(found));
    }
}

// Writes the j-particles in the order of their numbers.
void Pruning::write_rows(const NeighbourGroup& group, const Vec3<double>& centre) {
    count_ = 0;
    const auto shift = [&](std::uint32_t image) { return lists_.shift(image); };
    each_stretch(group, own_, ghosts_, shift,
                 [&](const SearchTree& tree, std::uint32_t first, std::uint32_t end, const Vec3<double>& by) {
                     write_some(tree, first, end, centre - by);
                 });
}

void Pruning::write_some(const SearchTree& tree, std::uint32_t first, std::uint32_t end, const Vec3<double>& centre) {
    const std::size_t count = end - first;
    if (rows_.size() < 4 * (count_ + count)) rows_.resize(8 * (count_ + count));
    const double* radii = by_radii() ? tree.radii().data() + first : nullptr;
    const double margin = by_radii() && &tree == &ghosts_ ? std::numeric_limits<double>::infinity() : margin_;
    const RowScale scale{frame_.per_length, frame_.search.factor, margin};
    TRELLIS_VARIANT(write_rows)(tree.positions().data() + first, radii, count, centre, scale,
                                rows_.data() + 4 * count_);
    count_ += count;
}

}  // namespace trellis
