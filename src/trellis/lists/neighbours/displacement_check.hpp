// The test whether two particles that were too far apart to be listed may have come within the search radius since. It
// compares the displacements of particles near each other, so that neither a flow of all particles nor a fast particle
// far away ends the lists.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "trellis/lists/neighbours/search_tree.hpp"
#include "trellis/particles/region.hpp"

namespace trellis {

// A ball that contains the displacements of some particles.
struct Displacements {
    Vec3<double> centre;
    double radius;
};

// Particles that were in a box, and have moved.
struct MovedBox {
    Extent bounds;
    Displacements drift;
};

class DisplacementCheck {
  public:
    // Compares the present state with that when the tree was built. now, radii: the present positions and radii, row by
    // row; skin: see NeighbourLists. The tree must outlive this.
    DisplacementCheck(const SearchTree& tree, std::span<const Vec3<double>> now, const Radii& radii, double skin);

    // All particles as one box. There must be at least one.
    MovedBox all() const { return cells_[0].moved; }

    // True if a particle may have another one, or an image in the region, within its search radius that was beyond (1 +
    // skin) times its former search radius. elsewhere: the boxes of the other ranks' particles.
    bool suspected(const Region& region, std::span<const MovedBox> elsewhere) const;

  private:
    // Some particles, with the largest of their present search radii (reach), and the distance by which other particles
    // may have come nearer to any of them (allowed).
    struct SearchGroup {
        MovedBox moved;
        double reach, allowed;

        bool may_meet(const MovedBox& others) const;
    };

    std::span<const SearchGroup> blocks_of(std::uint32_t leaf) const;
    SearchGroup reaching(std::uint32_t first, std::uint32_t end, std::span<const Vec3<double>> now, const Radii& radii,
                         double skin) const;
    static SearchGroup together(std::span<const SearchGroup> parts);
    bool meets(std::uint32_t leaf, std::uint32_t cell, const Vec3<double>& shift) const;
    bool meets(const SearchGroup& block, std::uint32_t leaf, const Vec3<double>& shift) const;

    const SearchTree& tree_;
    std::vector<SearchGroup> cells_;
    std::vector<SearchGroup> blocks_;  // by block number
};

}  // namespace trellis
