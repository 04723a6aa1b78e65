#include "trellis/particles/box.hpp"

#include "trellis/base/parallel.hpp"

namespace trellis {

Extent extent_of(std::span<const Vec3<double>> positions) {
    return parallel_reduce(
        positions.size(), Extent{positions[0], positions[0]},
        [&](std::size_t begin, std::size_t end) {
            Extent block{positions[begin], positions[begin]};
            for (std::size_t k = begin; k < end; ++k) block = join(block, {positions[k], positions[k]});
            return block;
        },
        join);
}

Box bounding_cube(std::span<const Vec3<double>> positions) {
    return positions.empty() ? Box{} : cube_around(extent_of(positions));
}

}  // namespace trellis
