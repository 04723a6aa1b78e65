// The j-particles of a group side by side, as the search compares them: relative to the group's centre, in single
// precision.
#pragma once

#include <cstdint>
#include <vector>

#include "trellis/lists/neighbours/neighbour_lists.hpp"
#include "trellis/lists/neighbours/search/group_frame.hpp"

namespace trellis {

// Calls put(tree, first, end, shift) for the particles of a group and of its ranges, in the order of their numbers: the
// slots first to end - 1 of a tree act at their positions plus the shift. shift(image): that of a range.
template <class Shift, class Put>
void each_stretch(const NeighbourGroup& group, const SearchTree& own, const SearchTree& ghosts, const Shift& shift,
                  const Put& put) {
    put(own, group.first, group.first + group.count, Vec3<double>{0, 0, 0});
    const auto local = static_cast<std::uint32_t>(own.size());
    for (const SlotRange& range : group.ranges) {
        const bool ghost = range.first >= local;
        const std::uint32_t offset = ghost ? local : 0;
        put(ghost ? ghosts : own, range.first - offset, range.end - offset, shift(range.image));
    }
}

class StagedGroup {
  public:
    // All of these outlive it.
    StagedGroup(const SearchTree& own, const SearchTree& ghosts, const GroupFrame& frame) noexcept
        : own_(own), ghosts_(ghosts), frame_(frame) {}

    // Stages the particles of a group, then those of its ranges: in the order of their numbers. shift(image): that of
    // the j-particles of a range.
    template <class Shift>
    void stage(const NeighbourGroup& group, const Shift& shift) {
        count_ = 0;
        each_stretch(group, own_, ghosts_, shift,
                     [&](const SearchTree& tree, std::uint32_t first, std::uint32_t end, const Vec3<double>& by) {
                         put(tree, first, end, by - group.centre);
                     });
    }

    std::uint32_t count() const { return static_cast<std::uint32_t>(count_); }
    // Positions, and the search radii if those of j-particles count.
    StagedPositions positions() const {
        return {x_.data(), y_.data(), z_.data(), frame_.search.search == Search::gather ? nullptr : reach_.data()};
    }
    float reach(std::size_t number) const { return reach_[number]; }

  private:
    void put(const SearchTree& tree, std::uint32_t first, std::uint32_t end, const Vec3<double>& offset) {
        const std::size_t room = count_ + (end - first) + SearchTree::block_size;
        if (x_.size() < room)
            for (auto* values : {&x_, &y_, &z_, &reach_}) values->resize(2 * room);
        for (std::uint32_t slot = first; slot < end; ++slot, ++count_) {
            const Vec3<double> at = tree.positions()[slot] + offset;
            x_[count_] = frame_.staged(at.x);
            y_[count_] = frame_.staged(at.y);
            z_[count_] = frame_.staged(at.z);
            reach_[count_] = frame_.staged(tree.radii()[slot] * frame_.search.factor);
        }
    }

    const SearchTree &own_, &ghosts_;
    const GroupFrame& frame_;
    std::size_t count_ = 0;
    std::vector<float> x_, y_, z_, reach_;
};

}  // namespace trellis
