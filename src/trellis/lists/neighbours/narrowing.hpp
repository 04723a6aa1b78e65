// Makes the lists of the clusters of one group after the other (cluster_lists.hpp). Each thread has one such object.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "trellis/lists/neighbours/cluster_lists.hpp"
#include "trellis/lists/neighbours/search/neighbour_kernel.hpp"
#include "trellis/lists/neighbours/staged_group.hpp"

namespace trellis {

class Narrowing {
  public:
    // Begins with a group; all of these stay until its last block. zone: of the group.
    void begin(const StagedGroup& staged, const GroupFrame& frame, const Zone& zone, GroupClusters& clusters);
    // Makes the lists of the clusters of the next block. numbers: those on its list; own, end: those of its particles.
    void add_block(std::span<const std::uint32_t> numbers, std::uint32_t own, std::uint32_t end);

  private:
    void take(std::span<const std::uint32_t> numbers);
    ClusterPoints points_of(std::uint32_t first, std::uint32_t end) const;

    const StagedGroup* staged_ = nullptr;
    GroupClusters* clusters_ = nullptr;
    bool i_reaches_ = true;                 // search radii of i-particles count
    float margin_ = 0;                      // of rounding
    std::vector<std::uint32_t> numbers_;    // of the j-particles of a block, padded
    std::vector<float> x_, y_, z_, reach_;  // of these
    std::vector<std::uint32_t> found_;
};

}  // namespace trellis
