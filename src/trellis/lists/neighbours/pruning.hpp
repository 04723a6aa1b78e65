// Prunes the lists of the clusters of one group after the other (cluster_lists.hpp). Each thread has one such object.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "trellis/lists/neighbours/cluster_lists.hpp"
#include "trellis/lists/neighbours/neighbour_lists.hpp"
#include "trellis/lists/neighbours/search/group_frame.hpp"

namespace trellis {

class Pruning {
  public:
    // All of these outlive it. own, ghosts: with the particles where they are now.
    Pruning(const NeighbourLists& lists, const SearchTree& own, const SearchTree& ghosts,
            const GroupFrame& frame) noexcept
        : lists_(lists), own_(own), ghosts_(ghosts), frame_(frame) {}

    // pruned: becomes the part of the group's lists that is near.
    void prune(std::uint32_t group, const GroupClusters& wider, GroupClusters& pruned);

  private:
    // Search radii differ, and the larger one of two counts.
    bool by_radii() const { return frame_.search.search == Search::symmetric; }
    void write_rows(const NeighbourGroup& group, const Vec3<double>& centre);
    void write_some(const SearchTree& tree, std::uint32_t first, std::uint32_t end, const Vec3<double>& centre);

    const NeighbourLists& lists_;
    const SearchTree &own_, &ghosts_;
    const GroupFrame& frame_;
    double margin_ = 0;        // of search radii, by rounding
    std::size_t count_ = 0;    // of rows
    std::vector<float> rows_;  // of the group's j-particles, by number: see pruning_kernel.hpp
};

}  // namespace trellis
