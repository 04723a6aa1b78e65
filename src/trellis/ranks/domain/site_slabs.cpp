#include "trellis/ranks/domain/site_slabs.hpp"

#include <algorithm>
#include <limits>

namespace trellis {

bool slabs_begin_at(const Shape& shape, std::span<const int> ranks) {
    return std::ranges::all_of(ranks, [&](int rank) { return shape.begin(shape.slab_of(rank)) == rank; });
}

Shape best_shape(int ranks, const Vec3<double>& sides, std::span<const int> site_begins) {
    Shape best{ranks, ranks, 1};
    double least = std::numeric_limits<double>::infinity();
    for (int slabs = static_cast<int>(site_begins.size()); slabs <= ranks; ++slabs) {
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
