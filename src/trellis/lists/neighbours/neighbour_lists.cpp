#include "trellis/lists/neighbours/neighbour_lists.hpp"

#include <algorithm>
#include <atomic>
#include <memory>
#include <utility>

#include "trellis/base/parallel.hpp"
#include "trellis/lists/neighbours/narrowing.hpp"
#include "trellis/lists/neighbours/search/group_frame.hpp"
#include "trellis/lists/neighbours/search/near_ranges.hpp"
#include "trellis/lists/neighbours/search/neighbour_kernel.hpp"
#include "trellis/lists/neighbours/staged_group.hpp"

namespace trellis {

namespace {

// Finds the ranges of a group, then the lists of its blocks. Each thread has one such object.
class GroupSearch {
  public:
    GroupSearch(const SearchTree& own, const SearchTree& ghosts, const GroupFrame& frame,
                std::span<const Vec3<double>> shifts)
        : own_(own), ghosts_(ghosts), frame_(frame), shifts_(shifts), staged_(own, ghosts, frame_) {}

    // clusters: null, or becomes the lists of the group's clusters.
    void find(std::uint32_t leaf, NeighbourGroup& group, GroupClusters* clusters) {
        const Cell& cell = own_.cells()[leaf];
        zone_ = own_.zone(leaf);
        group_ = &group;
        group.first = cell.first;
        group.count = cell.count;
        group.centre = centre_of(zone_);
        group.ranges.clear();
        for (std::uint32_t image = 0; image < shifts_.size(); ++image)
            walk(own_, image, 0, image == 0 ? leaf : nowhere);
        if (ghosts_.size() > 0) walk(ghosts_, 0, static_cast<std::uint32_t>(own_.size()), nowhere);
        staged_.stage(group, [&](std::uint32_t image) { return shifts_[image]; });
        group.j_count = staged_.count();
        if (clusters != nullptr) narrowing_.begin(staged_, frame_, zone_, *clusters);
        list_blocks(leaf, clusters != nullptr);
    }

  private:
    static constexpr std::uint32_t nowhere = ~0u;

    // Adds the near blocks of a tree's leaves as ranges, except those of the cell left_out. Ghosts are in separate
    // ranges.
    void walk(const SearchTree& tree, std::uint32_t image, std::uint32_t first_slot, std::uint32_t left_out) {
        each_near_range(tree.view(), 0, left_out, frame_.search, zone_, shifts_[image],
                        [&](std::uint32_t first, std::uint32_t end) {
                            group_->ranges.push_back({first_slot + first, first_slot + end, image});
                        });
    }

    void list_blocks(std::uint32_t leaf, bool narrow) {
        const auto find = TRELLIS_VARIANT(find_near);
        const StagedPositions positions = staged_.positions();
        const std::uint32_t blocks = group_->blocks();
        group_->begins.assign(1, 0);
        found_.resize(staged_.count() + 2 * SearchTree::block_size);
        group_->entries.clear();
        for (std::uint32_t b = 0; b < blocks; ++b) {
            const NearBox box = frame_.box_of(own_.block(leaf, b), zone_, group_->centre);
            const std::uint32_t own = b * SearchTree::block_size;
            const std::uint32_t behind = std::min(own + SearchTree::block_size, group_->count);
            std::size_t count = find(positions, 0, own, box, found_.data());
            count += find(positions, behind, staged_.count(), box, found_.data() + count);
            group_->entries.insert(group_->entries.end(), found_.begin(),
                                   found_.begin() + static_cast<std::ptrdiff_t>(count));
            group_->begins.push_back(static_cast<std::uint32_t>(group_->entries.size()));
            if (narrow) narrowing_.add_block(std::span(found_).first(count), own, behind);
        }
    }

    const SearchTree &own_, &ghosts_;
    const GroupFrame& frame_;
    std::span<const Vec3<double>> shifts_;
    NeighbourGroup* group_ = nullptr;
    Zone zone_{};
    std::vector<std::uint32_t> found_;
    StagedGroup staged_;
    Narrowing narrowing_;
};

std::uint64_t next_number() {
    static std::atomic<std::uint64_t> made = 0;
    return ++made;
}

}  // namespace

void NeighbourLists::make(const SearchTree& own, const SearchTree& ghosts, Search search, double skin,
                          const Region& region, Phases& phases, ClusterLists* clusters) {
    const ListSearch all{own, ghosts, search, skin};
    begin(all, region, clusters);
    add(all, {}, phases, clusters);
}

void NeighbourLists::begin(const ListSearch& search, const Region& region, ClusterLists* clusters) {
    number_ = next_number();
    const auto leaves = search.own.leaves();
    groups_.resize(leaves.size());
    if (clusters != nullptr) clusters->begin(number_, leaves.size());
    parallel_for(leaves.size(), [&](std::size_t k) {
        const Cell& cell = search.own.cells()[leaves[k]];
        groups_[k].first = cell.first;
        groups_[k].count = cell.count;
        groups_[k].begins.clear();
    });
    shifts_.assign(1, {0, 0, 0});
    if (leaves.empty()) return;
    shifts_ = image_shifts(search.own, frame_of(search.own, search.ghosts, search.search, search.skin), region);
}

void NeighbourLists::add(const ListSearch& search, std::span<const std::uint8_t> flags, Phases& phases,
                         ClusterLists* clusters) {
    const PhaseTimer timer(phases, Phase::make_interaction_list);
    const auto leaves = search.own.leaves();
    std::vector<std::uint32_t> wanted;
    for (std::uint32_t k = 0; k < leaves.size(); ++k)
        if (!groups_[k].made() && (flags.empty() || flags[k] != 0)) wanted.push_back(k);
    if (wanted.empty()) return;
    const GroupFrame frame = frame_of(search.own, search.ghosts, search.search, search.skin);
    std::vector<std::unique_ptr<GroupSearch>> searches;
    searches.reserve(static_cast<std::size_t>(thread_count()));
    for (int thread = 0; thread < thread_count(); ++thread)
        searches.push_back(std::make_unique<GroupSearch>(search.own, search.ghosts, frame, shifts_));
    parallel_tasks(wanted.size(), [&](std::size_t k, int thread) {
        const std::uint32_t group = wanted[k];
        searches[static_cast<std::size_t>(thread)]->find(leaves[group], groups_[group],
                                                         clusters == nullptr ? nullptr : &clusters->group(group));
    });
}

void NeighbourLists::take(std::vector<NeighbourGroup> groups, std::vector<Vec3<double>> shifts) {
    number_ = next_number();
    groups_ = std::move(groups);
    shifts_ = std::move(shifts);
}

}  // namespace trellis
