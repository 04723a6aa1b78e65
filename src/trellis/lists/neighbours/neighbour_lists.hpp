// Neighbour lists: for each group of i-particles the ranges of slots that contain all particles within its search
// radius, and for each block of the group the j-particles within the search radius of the block (a Verlet list for a
// block instead of a particle).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "trellis/base/phase.hpp"
#include "trellis/lists/neighbours/cluster_lists.hpp"
#include "trellis/lists/neighbours/search/search_tree.hpp"
#include "trellis/particles/region.hpp"

namespace trellis {

// j-particles of consecutive slots, moved by an image's shift.
struct SlotRange {
    std::uint32_t first, end;
    std::uint32_t image;  // the argument of NeighbourLists::shift
};

struct NeighbourGroup {
    std::uint32_t first, count;  // the slots of its i-particles, those of a leaf
    Vec3<double> centre;         // centre of the box around the i-particles
    std::vector<SlotRange> ranges;
    // j-particles are numbered: first the group's own, in their order, then those of the ranges. Block b interacts with
    // its own particles and with entries[begins[b]] to entries[begins[b + 1] - 1], which do not contain its own.
    std::vector<std::uint32_t> begins, entries;
    std::uint32_t j_count;  // number of j-particles

    bool made() const { return !begins.empty(); }
    std::uint32_t blocks() const { return SearchTree::blocks_of(count); }
    std::span<const std::uint32_t> list(std::uint32_t block) const {
        return std::span(entries).subspan(begins[block], begins[block + 1] - begins[block]);
    }
};

// The particles among which lists are made, and how far.
struct ListSearch {
    const SearchTree &own, &ghosts;
    Search search;
    double skin;
};

class NeighbourLists {
  public:
    // Makes the lists of all local particles. They contain local particles, their images in a periodic region, and
    // ghosts, which are images already and have the slots after the local ones: all within (1 + skin) times the search
    // radius, each image once, and few beyond it.
    // clusters: null, or becomes the lists of clusters.
    void make(const SearchTree& own, const SearchTree& ghosts, Search search, double skin, const Region& region,
              Phases& phases, ClusterLists* clusters = nullptr);
    // The same in parts: begin knows the particles of each group and the images, and add makes the lists of those
    // groups that are flagged (all, if there are no flags) and not made yet. The trees are the same, as they were.
    void begin(const ListSearch& search, const Region& region, ClusterLists* clusters);
    void add(const ListSearch& search, std::span<const std::uint8_t> flags, Phases& phases, ClusterLists* clusters);

    // Takes lists made on a device, as make makes them.
    void take(std::vector<NeighbourGroup> groups, std::vector<Vec3<double>> shifts);

    std::span<const NeighbourGroup> groups() const { return groups_; }
    // The number of these lists, above 0 and different after every make and take in this process.
    std::uint64_t number() const { return number_; }
    // The number of images among which they search, the box itself included.
    std::size_t images() const { return shifts_.size(); }
    // The shift added to the positions of the j-particles of a range.
    const Vec3<double>& shift(std::uint32_t image) const { return shifts_[image]; }

  private:
    std::vector<NeighbourGroup> groups_;
    std::vector<Vec3<double>> shifts_;  // the first is zero
    std::uint64_t number_ = 0;
};

}  // namespace trellis
