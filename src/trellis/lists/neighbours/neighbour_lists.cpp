#include "trellis/lists/neighbours/neighbour_lists.hpp"

#include <algorithm>
#include <atomic>
#include <utility>

#include "trellis/base/parallel.hpp"
#include "trellis/lists/neighbours/group_frame.hpp"
#include "trellis/lists/neighbours/near_ranges.hpp"
#include "trellis/lists/neighbours/neighbour_kernel.hpp"

namespace trellis {

namespace {

// Finds the ranges of a group, then the lists of its blocks. Each thread has one such object.
class GroupSearch {
  public:
    GroupSearch(const SearchTree& own, const SearchTree& ghosts, const GroupFrame& frame,
                std::span<const Vec3<double>> shifts)
        : own_(own), ghosts_(ghosts), frame_(frame), shifts_(shifts) {}

    void find(std::uint32_t leaf, NeighbourGroup& group) {
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
        stage();
        list_blocks(leaf);
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

    // Stages all j-particles relative to the group's centre, in the order of their numbers.
    void stage() {
        staged_ = 0;
        put(own_, group_->first, group_->first + group_->count, {0, 0, 0});
        const auto own = static_cast<std::uint32_t>(own_.size());
        for (const SlotRange& range : group_->ranges) {
            const bool ghost = range.first >= own;
            const std::uint32_t offset = ghost ? own : 0;
            put(ghost ? ghosts_ : own_, range.first - offset, range.end - offset, shifts_[range.image]);
        }
        group_->j_count = static_cast<std::uint32_t>(staged_);
    }

    void put(const SearchTree& tree, std::uint32_t first, std::uint32_t end, const Vec3<double>& shift) {
        const std::size_t room = staged_ + (end - first) + SearchTree::block_size;
        if (x_.size() < room)
            for (auto* values : {&x_, &y_, &z_, &reach_}) values->resize(2 * room);
        const Vec3<double> offset = shift - group_->centre;
        for (std::uint32_t slot = first; slot < end; ++slot, ++staged_) {
            const Vec3<double> at = tree.positions()[slot] + offset;
            x_[staged_] = frame_.staged(at.x);
            y_[staged_] = frame_.staged(at.y);
            z_[staged_] = frame_.staged(at.z);
            reach_[staged_] = frame_.staged(tree.radii()[slot] * frame_.search.factor);
        }
    }

    void list_blocks(std::uint32_t leaf) {
        const auto find = TRELLIS_VARIANT(find_near);
        const StagedPositions positions{x_.data(), y_.data(), z_.data(),
                                        frame_.search.search == Search::gather ? nullptr : reach_.data()};
        const std::uint32_t blocks = group_->blocks();
        group_->begins.assign(1, 0);
        found_.resize(staged_ + 2 * SearchTree::block_size);
        group_->entries.clear();
        for (std::uint32_t b = 0; b < blocks; ++b) {
            const NearBox box = frame_.box_of(own_.block(leaf, b), zone_, group_->centre);
            const std::uint32_t own = b * SearchTree::block_size;
            const std::uint32_t behind = std::min(own + SearchTree::block_size, group_->count);
            std::size_t count = find(positions, 0, own, box, found_.data());
            count += find(positions, behind, static_cast<std::uint32_t>(staged_), box, found_.data() + count);
            group_->entries.insert(group_->entries.end(), found_.begin(),
                                   found_.begin() + static_cast<std::ptrdiff_t>(count));
            group_->begins.push_back(static_cast<std::uint32_t>(group_->entries.size()));
        }
    }

    const SearchTree &own_, &ghosts_;
    GroupFrame frame_;
    std::span<const Vec3<double>> shifts_;
    NeighbourGroup* group_ = nullptr;
    Zone zone_{};
    std::vector<std::uint32_t> found_;
    std::size_t staged_ = 0;
    std::vector<float> x_, y_, z_, reach_;
};

std::uint64_t next_number() {
    static std::atomic<std::uint64_t> made = 0;
    return ++made;
}

}  // namespace

void NeighbourLists::make(const SearchTree& own, const SearchTree& ghosts, Search search, double skin,
                          const Region& region, Phases& phases) {
    number_ = next_number();
    const PhaseTimer timer(phases, Phase::make_interaction_list);
    const auto leaves = own.leaves();
    groups_.resize(leaves.size());
    shifts_.assign(1, {0, 0, 0});
    if (leaves.empty()) return;
    const GroupFrame frame = frame_of(own, ghosts, search, skin);
    shifts_ = image_shifts(own, frame, region);
    std::vector<GroupSearch> searches(static_cast<std::size_t>(thread_count()),
                                      GroupSearch(own, ghosts, frame, shifts_));
    parallel_tasks(leaves.size(), [&](std::size_t k, int thread) {
        searches[static_cast<std::size_t>(thread)].find(leaves[k], groups_[k]);
    });
}

void NeighbourLists::take(std::vector<NeighbourGroup> groups, std::vector<Vec3<double>> shifts) {
    number_ = next_number();
    groups_ = std::move(groups);
    shifts_ = std::move(shifts);
}

}  // namespace trellis
