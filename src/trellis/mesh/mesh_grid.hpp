// The periodic mesh in a box of space.
#pragma once

#include "trellis/base/vec.hpp"
#include "trellis/mesh/node_box.hpp"
#include "trellis/particles/region.hpp"

namespace trellis {

// Node n lies at low + n * spacing. Sides and numbers of cells may differ between the axes.
class MeshGrid {
  public:
    // Throws InputError unless the region is periodic along all axes and has 4 to 16384 cells along each.
    MeshGrid(const Region& region, const Nodes& cells);

    const Region& region() const { return region_; }
    const Nodes& cells() const { return cells_; }
    const Vec3<double>& spacing() const { return spacing_; }
    double volume() const;

    // The coordinates of a point in cells from the low faces; points outside the box are not wrapped.
    Vec3<double> in_cells(const Vec3<double>& point) const;
    // The wavenumber of a term of the Fourier transform, 2 pi / side times -n/2 < index <= n/2, in 1 / length.
    double wavenumber(std::size_t axis, int index) const;

  private:
    Region region_;
    Nodes cells_;
    Vec3<double> spacing_{}, per_spacing_{};
};

}  // namespace trellis
