// The test whether two particles that were too far apart to be listed may have come within the search radius. It
// compares the displacements of particles near each other, so that neither a flow of all particles nor a fast particle
// far away invalidates the lists.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "trellis/lists/neighbours/search/search_tree.hpp"
#include "trellis/particles/region.hpp"

namespace trellis {

// A sphere that contains the displacement vectors of a set of particles.
struct Displacements {
    Vec3<double> centre;
    double radius;
};

// The box in which a set of particles was, and their displacements since.
struct MovedBox {
    Extent bounds;
    Displacements drift;
};

class DisplacementCheck {
  public:
    // Compares the present state with that of the tree. now, radii: the present positions and radii of all rows. skin:
    // see NeighbourLists. The tree must outlive this object.
    DisplacementCheck(const SearchTree& tree, std::span<const Vec3<double>> now, const Radii& radii, double skin);

    // All particles as one box; there is at least one particle.
    MovedBox all() const { return cells_[0].moved; }

    // True if a particle may have another one, or an image in the region, within its search radius that was beyond (1 +
    // skin) times its former search radius. elsewhere: the boxes of the particles of other ranks.
    bool suspected(const Region& region, std::span<const MovedBox> elsewhere) const;

  private:
    // A set of particles. reach: the largest present search radius. allowed: the distance by which another particle may
    // come nearer to any of them.
    struct SearchGroup {
        MovedBox moved;
        double reach, allowed;

        bool may_interact(const MovedBox& others) const;
    };

    std::span<const SearchGroup> blocks_of(std::uint32_t leaf) const;
    SearchGroup group_of_slots(std::uint32_t first, std::uint32_t end, std::span<const Vec3<double>> now,
                               const Radii& radii, double skin) const;
    static SearchGroup joined(std::span<const SearchGroup> parts);
    bool leaf_may_interact(std::uint32_t leaf, std::uint32_t cell, const Vec3<double>& shift) const;
    bool block_may_interact(const SearchGroup& block, std::uint32_t leaf, const Vec3<double>& shift) const;

    const SearchTree& tree_;
    std::vector<SearchGroup> cells_;
    std::vector<SearchGroup> blocks_;  // by block number
};

}  // namespace trellis
