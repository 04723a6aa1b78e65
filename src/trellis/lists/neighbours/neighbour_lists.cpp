#include "trellis/lists/neighbours/neighbour_lists.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>

#include "trellis/base/parallel.hpp"
#include "trellis/lists/neighbours/images.hpp"
#include "trellis/lists/neighbours/neighbour_kernel.hpp"

namespace trellis {

namespace {

// Places in single precision, relative to a group, may be in error by this fraction of the distances there.
constexpr double rounding = 1e-6;

// Finds the ranges of one group, then the lists of its blocks. Each thread has one.
class GroupSearch {
  public:
    GroupSearch(const SearchTree& own, const SearchTree& ghosts, Search search, double skin,
                std::span<const Vec3<double>> shifts)
        : own_(own), ghosts_(ghosts), search_{search, (1 + skin) * (1 + rounding)}, shifts_(shifts) {
        double longest = 0;
        for (const SearchTree* tree : {&own, &ghosts})
            if (tree->size() > 0) {
                const auto& [bounds, radius] = tree->zone(0);
                longest = std::max({longest, largest(bounds.high - bounds.low), radius * search_.factor});
            }
        if (longest > 0) per_length_ = std::ldexp(1.0, -std::ilogb(longest));
    }

    void find(std::uint32_t leaf, NeighbourGroup& group) {
        const Cell& cell = own_.cells()[leaf];
        zone_ = own_.zone(leaf);
        group_ = &group;
        group.first = cell.first;
        group.count = cell.count;
        group.centre = 0.5 * (zone_.bounds.low + zone_.bounds.high);
        group.ranges.clear();
        for (std::uint32_t image = 0; image < shifts_.size(); ++image)
            walk(own_, image, 0, image == 0 ? leaf : nowhere);
        if (ghosts_.size() > 0) walk(ghosts_, 0, static_cast<std::uint32_t>(own_.size()), nowhere);
        stage();
        list_blocks(leaf);
    }

  private:
    static constexpr std::uint32_t nowhere = ~0u;

    bool near(const Zone& zone, const Vec3<double>& shift) const {
        return search_.may_meet(zone_, moved(zone.bounds, shift), zone.radius);
    }

    // Adds the near blocks of a tree's leaves as ranges, except those of the cell left_out.
    void walk(const SearchTree& tree, std::uint32_t image, std::uint32_t first_slot, std::uint32_t left_out) {
        const auto cells = tree.cells();
        const Vec3<double>& shift = shifts_[image];
        stack_.assign(1, 0);
        while (!stack_.empty()) {
            const std::uint32_t index = stack_.back();
            stack_.pop_back();
            if (index == left_out || !near(tree.zone(index), shift)) continue;
            const Cell& cell = cells[index];
            if (!cell.is_leaf()) {
                stack_.push_back(cell.child + 1);
                stack_.push_back(cell.child);
                continue;
            }
            for (std::uint32_t b = 0; b < SearchTree::blocks_of(cell.count); ++b) {
                if (!near(tree.block(index, b), shift)) continue;
                const std::uint32_t first = cell.first + b * SearchTree::block_size;
                add_range(first_slot + first, first_slot + std::min(first + SearchTree::block_size, cell.end()), image);
            }
        }
    }

    // Ghosts begin a range of their own.
    void add_range(std::uint32_t first, std::uint32_t end, std::uint32_t image) {
        auto& ranges = group_->ranges;
        if (!ranges.empty() && ranges.back().end == first && ranges.back().image == image && first != own_.size()) {
            ranges.back().end = end;
        } else {
            ranges.push_back({first, end, image});
        }
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
            const Vec3<double> at = tree.places()[slot] + offset;
            x_[staged_] = staged(at.x);
            y_[staged_] = staged(at.y);
            z_[staged_] = staged(at.z);
            reach_[staged_] = staged(tree.radii()[slot] * search_.factor);
        }
    }

    void list_blocks(std::uint32_t leaf) {
        const auto find = TRELLIS_VARIANT(find_near);
        const StagedPlaces places{x_.data(), y_.data(), z_.data(),
                                  search_.search == Search::gather ? nullptr : reach_.data()};
        const std::uint32_t blocks = group_->blocks();
        group_->begins.assign(1, 0);
        found_.resize(staged_ + 2 * SearchTree::block_size);
        group_->entries.clear();
        for (std::uint32_t b = 0; b < blocks; ++b) {
            const NearBox box = box_of(own_.block(leaf, b));
            const std::uint32_t own = b * SearchTree::block_size;
            const std::uint32_t behind = std::min(own + SearchTree::block_size, group_->count);
            std::size_t count = find(places, 0, own, box, found_.data());
            count += find(places, behind, static_cast<std::uint32_t>(staged_), box, found_.data() + count);
            group_->entries.insert(group_->entries.end(), found_.begin(),
                                   found_.begin() + static_cast<std::ptrdiff_t>(count));
            group_->begins.push_back(static_cast<std::uint32_t>(group_->entries.size()));
        }
    }

    // The box of a block relative to the group's centre, widened by the rounding error.
    NearBox box_of(const Zone& block) const {
        NearBox box{};
        const double reach = search_.search == Search::scatter ? 0 : block.radius * search_.factor;
        double margin = reach;
        for (std::size_t axis = 0; axis < 3; ++axis)
            margin = std::max(margin, zone_.bounds.high[axis] - zone_.bounds.low[axis]);
        margin *= rounding;
        for (std::size_t axis = 0; axis < 3; ++axis) {
            box.low[axis] = staged(block.bounds.low[axis] - group_->centre[axis] - margin);
            box.high[axis] = staged(block.bounds.high[axis] - group_->centre[axis] + margin);
        }
        box.reach = staged(reach);
        return box;
    }

    float staged(double length) const { return static_cast<float>(length * per_length_); }

    const SearchTree &own_, &ghosts_;
    WiderSearch search_;
    std::span<const Vec3<double>> shifts_;
    double per_length_ = 1;  // brings squares of lengths into the range of single precision, in any unit
    NeighbourGroup* group_ = nullptr;
    Zone zone_{};
    std::vector<std::uint32_t> stack_, found_;
    std::size_t staged_ = 0;
    std::vector<float> x_, y_, z_, reach_;
};

}  // namespace

void NeighbourLists::make(const SearchTree& own, const SearchTree& ghosts, Search search, double skin,
                          const Region& region, Phases& phases) {
    static std::atomic<std::uint64_t> made = 0;
    number_ = ++made;
    const PhaseTimer timer(phases, Phase::make_interaction_list);
    const auto leaves = own.leaves();
    groups_.resize(leaves.size());
    shifts_.assign(1, {0, 0, 0});
    if (leaves.empty()) return;
    const Zone& all = own.zone(0);
    shifts_ = shifts_near(region, all.bounds, all.bounds, all.radius * (1 + skin) * (1 + rounding));
    std::vector<GroupSearch> searches(static_cast<std::size_t>(thread_count()),
                                      GroupSearch(own, ghosts, search, skin, shifts_));
    parallel_tasks(leaves.size(), [&](std::size_t k, int thread) {
        searches[static_cast<std::size_t>(thread)].find(leaves[k], groups_[k]);
    });
}

}  // namespace trellis
