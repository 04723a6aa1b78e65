// Neighbour lists: for each group of i-particles the ranges of slots that contain all particles within its search
// radius, and for each block of the group the j-particles within the search radius of the block (a Verlet list, with a
// block in the place of a particle).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "trellis/base/phase.hpp"
#include "trellis/lists/neighbours/search_tree.hpp"
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
    // j-particles have numbers: first the group's own, in their order, then those of the ranges. Block b meets, beside
    // its own particles, entries[begins[b]] to entries[begins[b + 1] - 1]; its own are not among them.
    std::vector<std::uint32_t> begins, entries;
    std::uint32_t j_count;  // number of j-particles

    std::uint32_t blocks() const { return SearchTree::blocks_of(count); }
    std::span<const std::uint32_t> list(std::uint32_t block) const {
        return std::span(entries).subspan(begins[block], begins[block + 1] - begins[block]);
    }
};

class NeighbourLists {
  public:
    // Makes the lists of all local particles. Listed are local particles, their images where the region is periodic,
    // and ghosts, which are images already and have the slots behind the local ones: all within (1 + skin) times the
    // search radius, each image once, and few beyond it.
    void make(const SearchTree& own, const SearchTree& ghosts, Search search, double skin, const Region& region,
              Phases& phases);

    // Takes lists that were made elsewhere as make does.
    void take(std::vector<NeighbourGroup> groups, std::vector<Vec3<double>> shifts);

    std::span<const NeighbourGroup> groups() const { return groups_; }
    // The number of these lists: every make and take of this process gives another one, above 0.
    std::uint64_t number() const { return number_; }
    // The shift that is added to the positions of the j-particles of a range.
    const Vec3<double>& shift(std::uint32_t image) const { return shifts_[image]; }

  private:
    std::vector<NeighbourGroup> groups_;
    std::vector<Vec3<double>> shifts_;  // the first is zero
    std::uint64_t number_ = 0;
};

}  // namespace trellis
