// The test whether two particles that were too far apart to be listed may have come within the search radius. It
// compares the displacements of particles near each other, so that neither a flow of all particles nor a fast particle
// far away invalidates the lists.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "trellis/lists/neighbours/search/displacement_kernel.hpp"
#include "trellis/lists/neighbours/search/search_tree.hpp"
#include "trellis/particles/region.hpp"

namespace trellis {

// The box in which a set of particles was, and their displacements since.
struct MovedBox {
    Extent bounds;
    Displacements drift;
};

// The particles of a rank: all, and those of flagged leaves.
struct MovedRank {
    MovedBox all, flagged;
    bool any, any_flagged;
};

class DisplacementCheck {
  public:
    // Compares the present state with that of the tree. now, radii: the present positions and radii of all rows, the
    // radii to be multiplied by `widened`. skin: see NeighbourLists. The tree must outlive this object.
    DisplacementCheck(const SearchTree& tree, std::span<const Vec3<double>> now, const Radii& radii, double skin,
                      double widened = 1);
    // Compares again, after values have changed of particles in flagged ones of the tree's leaves(); of any, without
    // flags.
    void update(std::span<const Vec3<double>> now, const Radii& radii, std::span<const std::uint8_t> flags);

    // The particles of this rank as boxes. flags: of the tree's leaves(); empty for all.
    MovedRank moved(std::span<const std::uint8_t> flags) const;

    // True if a particle may have another one, or an image in the region, within its search radius that was beyond (1 +
    // skin) times its former search radius, and one of both is in a flagged leaf; without flags, any. Together, other
    // ranks test those of which one is theirs: elsewhere are their particles.
    bool suspected(const Region& region, std::span<const MovedRank> elsewhere,
                   std::span<const std::uint8_t> flags) const;

  private:
    // A set of particles. reach: the largest present search radius. allowed: the distance by which another particle may
    // come nearer to any of them.
    struct SearchGroup {
        MovedBox moved;
        double reach, allowed;

        bool may_interact(const MovedBox& others) const;
    };

    std::span<const SearchGroup> blocks_of(std::uint32_t leaf) const;
    std::vector<MovedBox> near_images(const MovedBox& box, const Region& region) const;
    SearchGroup group_of_slots(std::uint32_t first, std::uint32_t end, std::span<const Vec3<double>> now,
                               const Radii& radii) const;
    static SearchGroup joined(std::span<const SearchGroup> parts);
    // The particles of a cell, moved by the shift, may come within search radii of those of a leaf; with `both`
    // also within their own.
    struct Direction {
        Vec3<double> shift;
        bool both;
    };
    static bool may_interact(const SearchGroup& some, const SearchGroup& others, const Direction& direction);
    bool leaf_may_interact(std::uint32_t leaf, std::uint32_t cell, const Direction& direction) const;
    bool block_may_interact(const SearchGroup& block, std::uint32_t leaf, const Direction& direction) const;

    const SearchTree& tree_;
    double skin_, widened_;
    std::vector<SearchGroup> cells_;
    std::vector<SearchGroup> blocks_;  // by block number
};

}  // namespace trellis
