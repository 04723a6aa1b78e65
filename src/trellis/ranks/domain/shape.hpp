// The numbers of slabs, columns and domains that space is cut into: one domain for each rank, of similar sizes, for any
// number of ranks.
#pragma once

#include <span>

#include "trellis/base/vec.hpp"

namespace trellis {

// Slabs across x, each cut into columns across y, and each column into the domains of its ranks across z. Ranks are
// numbered slab by slab and column by column. The numbers of ranks of two slabs, and of two columns of a slab, differ
// by at most one.
struct Shape {
    int ranks = 1;
    int slabs = 1;    // at most ranks
    int columns = 1;  // in each slab; at most ranks / slabs

    // The first rank of a slab, and of a column in a slab; the end of the last one for the number after it.
    int begin(int slab) const;
    int begin(int slab, int column) const;

    int slab_of(int rank) const;
    int column_of(int rank) const;  // within its slab

    friend bool operator==(const Shape&, const Shape&) = default;
};

// The area of the faces between domains, divided by the volume of the box, if particles filled a box of these sides
// evenly.
double surface(const Shape& shape, const Vec3<double>& sides);

// True if a slab begins with each of these ranks.
bool slabs_begin_at(const Shape& shape, std::span<const int> ranks);

// The shape of least surface, whose domains are closest to cubes: for a cube, n x n x n ranks give n slabs of n columns
// of n domains. site_begins (Comm::site_begins): slabs begin there, so that each site has slabs of its own, and only
// the faces of these are between sites.
Shape best_shape(int ranks, const Vec3<double>& sides, std::span<const int> site_begins = {});

}  // namespace trellis
