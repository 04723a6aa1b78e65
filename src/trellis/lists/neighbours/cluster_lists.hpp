// Neighbour lists of clusters: for each cluster of 4 i-particles those on the list of its block that are within the
// search radius of one of them. Kernels of the host evaluate these; those of devices the lists of blocks
// (neighbour_lists.hpp), of which these are made.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "trellis/base/phase.hpp"
#include "trellis/lists/neighbours/search/search_tree.hpp"

namespace trellis {

class NeighbourLists;

// The clusters of a group, of `size` i-particles each. Their lists have the numbers of j-particles of NeighbourGroup,
// rising, without those of their own block; what stands behind the last list is of no use. A cluster with masked
// entries has all j-particles on its list or among these, also those of its own block, and itself with a factor of 0.
template <std::uint32_t size>
struct ClustersOf {
    // A j-particle that counts by a factor for each i-particle of a cluster: see masked_entries.hpp.
    struct MaskedEntry {
        std::uint32_t number;
        double factors[size];
    };

    std::vector<std::uint32_t> begins, entries;
    std::vector<std::uint32_t> masked_begins;  // empty without exclusions
    std::vector<MaskedEntry> masked;

    std::span<const std::uint32_t> list(std::uint32_t cluster) const {
        return std::span(entries).subspan(begins[cluster], begins[cluster + 1] - begins[cluster]);
    }
    std::span<const MaskedEntry> masked_list(std::uint32_t cluster) const {
        if (masked_begins.empty()) return {};
        return std::span(masked).subspan(masked_begins[cluster], masked_begins[cluster + 1] - masked_begins[cluster]);
    }
};
using GroupClusters = ClustersOf<SearchTree::cluster_size>;
using GroupBlocks = ClustersOf<SearchTree::block_size>;  // blocks with excluded pairs, for devices

class ClusterLists {
  public:
    // Narrows the lists, which were made with these arguments. They contain all within (1 + skin) times the search
    // radius, and none beyond it but for rounding.
    void make(const NeighbourLists& lists, const SearchTree& own, const SearchTree& ghosts, Search search, double skin,
              Phases& phases);

    // Becomes those of wider lists that are within (1 + skin) times the search radius (pruning: Páll et al. 2020, J.
    // Chem. Phys. 153, 134110). own, ghosts: the trees of `lists`, with the particles where they are now. search:
    // gather for a radius that is the same for all particles; or symmetric: then all ghosts stay on the lists, wherever
    // they are.
    void prune(const ClusterLists& wider, const NeighbourLists& lists, const SearchTree& own, const SearchTree& ghosts,
               Search search, double skin, Phases& phases);

    // Begins lists that are made elsewhere, together with those of blocks, which have this number.
    void begin(std::uint64_t number, std::size_t groups) {
        number_ = number;
        groups_.resize(groups);
    }

    // NeighbourLists::number of the lists that these were made of; 0 for none.
    std::uint64_t made_of() const { return number_; }
    std::span<const GroupClusters> groups() const { return groups_; }
    GroupClusters& group(std::size_t g) { return groups_[g]; }

  private:
    std::vector<GroupClusters> groups_;
    std::uint64_t number_ = 0;  // of the lists
};

}  // namespace trellis
