// Whether two particles that were farther apart than lists go may have come within reach since: by how far those near each other have moved relative
// to each other, so that neither a flow that all take part in nor somebody fast far away ends the lists.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "trellis/lists/search_tree.hpp"
#include "trellis/particles/region.hpp"

namespace trellis {

// A ball that holds the displacements of some particles.
struct Drift {
    Vec3<double> centre;
    double radius;
};

// Particles that were in a box, and have moved.
struct Moved {
    Extent bounds;
    Drift drift;
};

class Approach {
  public:
    // Since the tree was built. now, radii: the present ones, row by row; skin: see NeighbourLists. The tree must outlive this.
    Approach(const SearchTree& tree, std::span<const Vec3<double>> now, const Radii& radii, double skin);

    // All particles as one. There must be any.
    Moved all() const { return cells_[0].moved; }

    // Whether a particle may have one within its reach, images in the region among them, that was beyond (1 + skin) times the reach it had.
    // elsewhere: where particles of other ranks were.
    bool suspected(const Region& region, std::span<const Moved> elsewhere) const;

  private:
    // Some particles: how far they reach now, at most, and by how much others may have come nearer to any of them.
    struct Reaching {
        Moved moved;
        double reach, allowed;

        bool may_meet(const Moved& others) const;
    };

    std::span<const Reaching> blocks_of(std::uint32_t leaf) const;
    Reaching reaching(std::uint32_t first, std::uint32_t end, std::span<const Vec3<double>> now, const Radii& radii,
                      double skin) const;
    static Reaching together(std::span<const Reaching> parts);
    bool meets(std::uint32_t leaf, std::uint32_t cell, const Vec3<double>& shift) const;
    bool meets(const Reaching& block, std::uint32_t leaf, const Vec3<double>& shift) const;

    const SearchTree& tree_;
    std::vector<Reaching> cells_;
    std::vector<Reaching> blocks_;  // by their numbers
};

}  // namespace trellis
