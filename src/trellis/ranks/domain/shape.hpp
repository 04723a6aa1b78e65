// The numbers of slabs, columns and domains that space is cut into: as many domains as there are ranks, of like size,
// whatever their number.
#pragma once

#include "trellis/base/vec.hpp"

namespace trellis {

// Slabs across x, each cut into columns across y, each of those into the domains of its ranks across z. Ranks are
// numbered slab by slab and column by column. The ranks of a slab, and of a column in it, are as many as those of any
// other, or one more or less.
struct Shape {
    int ranks = 1;
    int slabs = 1;    // at most ranks
    int columns = 1;  // in each slab; at most ranks / slabs

    // The first rank of a slab, and of a column in a slab. The one after the last begins where the last ends.
    int begin(int slab) const;
    int begin(int slab, int column) const;

    int slab_of(int rank) const;
    int column_of(int rank) const;  // within its slab

    friend bool operator==(const Shape&, const Shape&) = default;
};

// The area of the faces between domains, as a share of the box's volume, if particles filled a box of such sides
// evenly.
double surface(const Shape& shape, const Vec3<double>& sides);

// The shape of least surface: domains as near to cubes as can be. For a cube, n x n x n ranks give n slabs of n columns
// of n.
Shape best_shape(int ranks, const Vec3<double>& sides);

}  // namespace trellis
