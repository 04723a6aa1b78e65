#include "trellis/ranks/domain/shape.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>

namespace trellis {

namespace {

// The distribution of ranks to parts: the first rank of a part, and the part of a rank.
int part_begin(int part, int parts, int ranks) { return static_cast<int>(std::int64_t{ranks} * part / parts); }
int part_of(int rank, int parts, int ranks) { return static_cast<int>(((std::int64_t{rank} + 1) * parts - 1) / ranks); }

// The sum over the parts of the square of their numbers of ranks.
double squares(int parts, int ranks) {
    const int small = ranks / parts, larger = ranks % parts;
    return 1.0 * (parts - larger) * small * small + 1.0 * larger * (small + 1) * (small + 1);
}

}  // namespace

int Shape::begin(int slab) const { return part_begin(slab, slabs, ranks); }

int Shape::begin(int slab, int column) const {
    return begin(slab) + part_begin(column, columns, begin(slab + 1) - begin(slab));
}

int Shape::slab_of(int rank) const { return part_of(rank, slabs, ranks); }

int Shape::column_of(int rank) const {
    const int slab = slab_of(rank);
    return part_of(rank - begin(slab), columns, begin(slab + 1) - begin(slab));
}

double surface(const Shape& shape, const Vec3<double>& sides) {
    // A column of k ranks has k / ranks of the area across z, and k - 1 faces of that area.
    const int few = shape.ranks / shape.slabs, larger_slabs = shape.ranks % shape.slabs;
    const double faces =
        (shape.slabs - larger_slabs) * squares(shape.columns, few) + larger_slabs * squares(shape.columns, few + 1);
    return (shape.slabs - 1) / sides.x + (shape.columns - 1) / sides.y + (faces / shape.ranks - 1) / sides.z;
}

bool slabs_begin_at(const Shape& shape, std::span<const int> ranks) {
    return std::ranges::all_of(ranks, [&](int rank) { return shape.begin(shape.slab_of(rank)) == rank; });
}

Shape best_shape(int ranks, const Vec3<double>& sides, std::span<const int> site_begins) {
    Shape best{ranks, ranks, 1};  // a slab for each rank begins everywhere
    double least = std::numeric_limits<double>::infinity();
    for (int slabs = 1; slabs <= ranks; ++slabs) {
        if (!slabs_begin_at({ranks, slabs, 1}, site_begins)) continue;
        for (int columns = 1; columns <= ranks / slabs; ++columns) {
            const Shape shape{ranks, slabs, columns};
            const double area = surface(shape, sides);
            if (area < least) best = shape, least = area;
        }
    }
    return best;
}

}  // namespace trellis
