// Space divided among ranks by recursive multisection (Makino 2004): slabs across x, each cut into columns across y,
// each of those into domains across z.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "trellis/particles/box.hpp"
#include "trellis/particles/region.hpp"
#include "trellis/ranks/domain/shape.hpp"

namespace trellis {

// The slabs, the columns of a slab, and the domains of a column lie between faces, one more than there are parts, in
// strictly rising order. The outermost are the region's where it is periodic. Along an open axis the outermost parts
// are infinite, and the outermost faces are marks within them, up to which their widths count.
class Multisection {
  public:
    // Makes parts of one width, in the region or, along open axes, with marks at 0 and 1.
    Multisection(const Shape& shape, const Region& region);
    // Makes the multisection of these values(). Throws InputError if these are no multisection's.
    explicit Multisection(std::span<const double> values);

    const Shape& shape() const { return shape_; }
    const Region& region() const { return region_; }

    // The one rank whose domain contains a place, or its image where the region is periodic. The place is finite.
    int owner(const Vec3<double>& place) const;

    // A rank's domain, half open: low <= place < high. Infinite outwards along open axes.
    Extent domain(int rank) const;

    // The whole multisection as numbers, for other ranks and for checkpoints.
    std::vector<double> values() const;

    // The faces of one cut, as a range of all faces. Rows are the same for all multisections of one shape.
    struct Row {
        std::size_t begin, size;
    };
    Row slabs() const;
    Row columns(int slab) const;
    Row domains(int slab, int column) const;
    std::span<const double> faces(Row row) const { return std::span(faces_).subspan(row.begin, row.size); }
    std::span<double> faces(Row row) { return std::span(faces_).subspan(row.begin, row.size); }

  private:
    template <class Visit>
    void for_each_row(Visit&& visit) const;

    Shape shape_;
    Region region_;
    std::vector<double> faces_;  // of all slabs, then of the columns slab by slab, then of the domains column by column
};

}  // namespace trellis
