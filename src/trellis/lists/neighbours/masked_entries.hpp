// Exclusions as masks of cluster pairs: a j-particle that is excluded for one of a cluster's i-particles is taken from
// the cluster's list and evaluated with a factor for each of them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "trellis/lists/neighbours/cluster_lists.hpp"
#include "trellis/lists/neighbours/exclusions.hpp"
#include "trellis/lists/neighbours/neighbour_lists.hpp"

namespace trellis {

// Masks the lists of clusters, which were made of these lists. ids: of local particles and ghosts, by slot.
void mask_entries(const Exclusions& exclusions, std::span<const std::uint64_t> ids, const NeighbourLists& lists,
                  ClusterLists& clusters);
// The blocks of each group with masks like these, for kernels of devices; the lists stay as they are.
std::vector<GroupBlocks> masked_blocks(const Exclusions& exclusions, std::span<const std::uint64_t> ids,
                                       const NeighbourLists& lists);

}  // namespace trellis
