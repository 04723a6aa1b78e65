// Space divided among ranks by recursive multisection (Makino 2004): slabs across x, each cut into columns across y,
// and each column into domains across z.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "trellis/particles/box.hpp"
#include "trellis/particles/region.hpp"
#include "trellis/ranks/domain/shape.hpp"

namespace trellis {

// The parts of a row (all slabs, the columns of a slab, or the domains of a column) lie between faces in strictly
// rising order, one more than parts. Along a periodic axis the outermost faces are those of the region. Along an open
// axis the outermost parts are infinite, and the outermost faces are marks inside them, up to which their widths count.
class Multisection {
  public:
    // Makes parts of equal width, in the region or, along open axes, between marks at 0 and 1.
    Multisection(const Shape& shape, const Region& region);
    // Makes a multisection from its values(). Throws InputError for any other numbers.
    explicit Multisection(std::span<const double> values);

    const Shape& shape() const { return shape_; }
    const Region& region() const { return region_; }

    // The rank whose domain contains a finite position, or its image in a periodic region.
    int owner(const Vec3<double>& position) const;

    // A rank's domain, half open: low <= position < high. Infinite outwards along open axes.
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
    std::vector<double>
        faces_;  // rows of all slabs, then of the columns of each slab, then of the domains of each column
};

}  // namespace trellis
