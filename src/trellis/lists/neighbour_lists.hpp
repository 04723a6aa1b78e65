// Neighbour lists: for each group of i-particles the stretches of slots that hold whatever is within its reach, and for each block of the
// group those j-particles that are within reach of the block (a Verlet list, with a block in the place of a particle).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "trellis/base/phase.hpp"
#include "trellis/lists/search_tree.hpp"
#include "trellis/particles/region.hpp"

namespace trellis {

// j-particles of consecutive slots, moved by an image's shift.
struct SlotRange {
    std::uint32_t first, end;
    std::uint32_t image;  // see NeighbourLists::shift
};

struct NeighbourGroup {
    std::uint32_t first, count;  // slots of its i-particles: a leaf's
    Vec3<double> centre;         // of the box around them
    std::vector<SlotRange> ranges;
    // j-particles have numbers: first the group's own, in their order, then those of the ranges. Block b meets, beside its own particles,
    // entries[begins[b]] to entries[begins[b + 1] - 1]; its own are not among them.
    std::vector<std::uint32_t> begins, entries;
    std::uint32_t j_count;  // all of these numbers

    std::uint32_t blocks() const { return SearchTree::blocks_of(count); }
    std::span<const std::uint32_t> list(std::uint32_t block) const {
        return std::span(entries).subspan(begins[block], begins[block + 1] - begins[block]);
    }
};

class NeighbourLists {
  public:
    // Lists for all own particles, of own ones, of their images where the region repeats, and of ghosts, which are images already; ghosts have
    // the slots behind the own ones. Whoever is within (1 + skin) times the reach is listed, each image once, and few others.
    void make(const SearchTree& own, const SearchTree& ghosts, Search search, double skin, const Region& region,
              Phases& phases);

    std::span<const NeighbourGroup> groups() const { return groups_; }
    // Which lists these are: every make of this process gives another number, above 0.
    std::uint64_t number() const { return number_; }
    // What is added to the positions of the j-particles of a range.
    const Vec3<double>& shift(std::uint32_t image) const { return shifts_[image]; }

  private:
    std::vector<NeighbourGroup> groups_;
    std::vector<Vec3<double>> shifts_;  // the first: none
    std::uint64_t number_ = 0;
};

}  // namespace trellis
