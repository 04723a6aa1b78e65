// The neighbourhood of the local particles: their tree, the near particles of other ranks (ghosts), and neighbour
// lists. It is built in a construction step, and kept in reusing steps as long as no unlisted particle can have come
// within a search radius. Several interactions may be evaluated on it, one after the other.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "trellis/base/phase.hpp"
#include "trellis/lists/neighbours/cluster_lists.hpp"
#include "trellis/lists/neighbours/displacement_check.hpp"
#include "trellis/lists/neighbours/exclusions.hpp"
#include "trellis/lists/neighbours/ghosts.hpp"
#include "trellis/lists/neighbours/neighbour_lists.hpp"
#include "trellis/lists/neighbours/neighbour_selection.hpp"
#include "trellis/particles/particle_set.hpp"
#include "trellis/ranks/domain/ranks.hpp"
#include "trellis/tree/sorted_columns.hpp"

namespace trellis {

class Neighbourhood {
  public:
    // skin: the fraction by which lists extend beyond the search radius. group_size: the largest number of i-particles
    // that share the search for ranges; 0: 128 to 512, the more the more particles there are. exclusions:
    // masked in the lists of clusters; null: none.
    Neighbourhood(Search search, double skin, std::uint32_t group_size,
                  std::shared_ptr<const Exclusions> exclusions = nullptr);

    // Sets the skin of the next constructions.
    void set_skin(double skin) { skin_ = skin; }
    // True where the search takes longer than the loops over groups: of lists that serve one step, or where most steps
    // evaluate some particles alone.
    void prefer_small_groups(bool small) { small_groups_ = small; }

    // Construction step. positions: the name of their column; they are in the region of the particles, or near it.
    // ranks: null for a rank alone; otherwise all following calls are collective. rows: 1 for each row whose lists are
    // made now; empty for all, and with exclusions all are. add_lists makes others later, as of this construction.
    void build(const ParticleSet& particles, std::string_view positions, const Radii& radii, const Ranks* ranks,
               Phases& phases, std::span<const std::uint8_t> rows = {});
    void add_lists(std::span<const std::uint8_t> rows, Phases& phases);
    // Construction step for the same rows in the same order, which have moved little since the last one: keeps its
    // groups, blocks, clusters and skin, and sorts nothing.
    void renew(const ParticleSet& particles, const Radii& radii, Phases& phases, std::span<const std::uint8_t> rows);
    // True if the lists are those of a rank alone with this skin, without exclusions, and not pruned.
    bool may_be_renewed(double skin) const {
        return skin_ == skin && ranks_ == nullptr && exclusions_ == nullptr && !pruned();
    }
    // The two halves of build: arrange makes the trees of local particles and ghosts and is collective; make_lists
    // makes the lists, take_lists takes those made on a device.
    void arrange(const ParticleSet& particles, std::string_view positions, const Radii& radii, const Ranks* ranks,
                 Phases& phases);
    void make_lists(const Region& region, Phases& phases);
    void take_lists(NeighbourLists lists) { lists_ = std::move(lists); }

    // True if the lists of the last construction are still valid: they contain every particle within the search radius
    // at the present positions, with these radii. The rows must be those of the construction, in the same order. rows:
    // 1 for each row whose lists count; empty for all.
    bool holds(const ParticleSet& particles, const Radii& radii, Phases& phases,
               std::span<const std::uint8_t> rows = {}) const;
    // The same in two parts, so that the first may serve again: update it where values of some rows have changed.
    // widened: a factor of the radii.
    DisplacementCheck displacements(const ParticleSet& particles, const Radii& radii, double widened = 1) const;
    void update(DisplacementCheck& check, const ParticleSet& particles, const Radii& radii,
                std::span<const std::uint8_t> rows) const;
    bool holds(const DisplacementCheck& check, const Region& region, std::span<const std::uint8_t> rows) const;

    // Prunes the lists of clusters to a smaller skin around these positions: until the next construction, or `widen`,
    // `clusters` gives the pruned ones, and holds is about these. positions: as for build. radii: one for all, or
    // those of a symmetric search: then no message says where ghosts are now, and they stay on the lists. Collective.
    void prune(const ParticleSet& particles, std::string_view positions, const Radii& radii, double skin,
               Phases& phases);
    bool pruned() const { return pruned_.in_use; }
    // Goes back to the lists of the last construction. The memory of pruned ones serves the next ones.
    void widen() { pruned_.in_use = false; }
    // True if lists that were pruned at the present positions contain every particle within search radii that have
    // changed since. Collective.
    bool pruned_suit(const Radii& radii, Phases& phases) const;
    // True if the lists of the last construction contain every particle within (1 + skin) times the search radius at
    // the present positions, so that they may be pruned to that skin. Collective.
    bool may_be_pruned(const ParticleSet& particles, const Radii& radii, double skin, Phases& phases) const;

    // Sends the first `components` components of the local particles, by slot, to the ranks where they are ghosts. Null
    // for a rank alone.
    std::unique_ptr<Exchange> begin_ghosts(const SortedColumns& columns, std::size_t components) const;
    // Appends the received values of the ghosts to those of the local particles.
    void finish_ghosts(Exchange& exchange, std::size_t components, SortedColumns& columns) const;

    // The ranks given to build; null for a rank alone.
    const Ranks* ranks() const { return ranks_; }
    const SearchTree& tree() const { return tree_; }
    const SearchTree& ghost_tree() const { return ghost_tree_; }
    Search search() const { return search_; }
    double skin() const { return skin_; }
    const NeighbourLists& lists() const { return lists_; }
    // The lists of clusters of the same particles; of lists made on a device they are made when they are first asked
    // for.
    const ClusterLists& clusters(Phases& phases) const;
    // The masked blocks of each group, for devices (masked_entries.hpp); empty without exclusions.
    std::vector<GroupBlocks> masked_blocks(Phases& phases) const;
    // True if a ghost is listed for a group.
    bool lists_ghosts(std::size_t group) const;
    // Selects flagged rows, for evaluations on the lists of the last construction. The flags stay as long as it is
    // used.
    void select(std::span<const std::uint8_t> rows, NeighbourSelection& selection) const;
    // Flags the groups that have a flagged row; without rows there are no flags.
    void flag_groups(std::span<const std::uint8_t> rows, std::vector<std::uint8_t>& groups) const;
    // The number of local particles.
    std::size_t size() const { return tree_.size(); }

  private:
    // The particles where lists were pruned.
    struct Pruned {
        SearchTree tree, ghost_tree;
        double skin = 0;
        bool in_use = false;           // these lists are
        bool of_construction = false;  // the trees have the cells of the last one
    };

    ListSearch list_search() const { return {tree_, ghost_tree_, search_, skin_}; }
    void note_ids(const ParticleSet& particles);
    void mask_clusters() const;
    std::vector<Vec3<double>> ghost_positions(const ParticleSet& particles, std::string_view positions) const;

    Search search_;
    double skin_;
    std::uint32_t group_size_;
    bool small_groups_ = false;
    std::shared_ptr<const Exclusions> exclusions_;
    const Ranks* ranks_ = nullptr;

    SearchTree tree_, ghost_tree_;
    Ghosts ghosts_;
    std::vector<std::uint64_t> ids_;  // with exclusions: of local particles and ghosts, by slot
    NeighbourLists lists_;
    mutable ClusterLists clusters_;  // of lists_, or of earlier ones
    Pruned pruned_;
    ClusterLists pruned_clusters_;  // these lists; their memory is kept over constructions
};

}  // namespace trellis
