#include "trellis/forces/bonded/system_tuples.hpp"

#include <algorithm>

#include "trellis/particles/nearest_images.hpp"

namespace trellis {

SystemTuples::SystemTuples(const TuplePotentials& potentials, std::span<const std::uint64_t> ids) {
    all_.reserve(potentials.size());
    for (const auto& [list, function] : potentials)
        all_.push_back({TupleBlock(*function, list->each()), list->each(), list->rows(ids, list->name())});
}

// The forces of a tuple whose energy is not finite are no numbers either: so the system does not recover unseen.
double SystemTuples::add_forces(const double* position, const double* mass, double* acceleration, std::size_t stride,
                                const Vec3<double>& box) {
    const NearestImage nearest(box);
    double all = 0, parts[TupleBlock::parts_of(TupleList::most_members)];
    for (Tuples& tuples : all_) {
        TupleBlock& block = tuples.block;
        for (std::size_t first = 0; first < tuples.size(); first += tuples_at_once) {
            const std::size_t count = std::min(tuples.size() - first, tuples_at_once);
            for (std::size_t t = 0; t < count; ++t) {
                const std::uint32_t* rows = &tuples.rows[(first + t) * tuples.members];
                block.set(t, first + t, nearest, [&](std::size_t m) {
                    const double* x = position + rows[m];
                    return Vec3<double>{x[0], x[stride], x[2 * stride]};
                });
            }
            block.evaluate(count);
            for (std::size_t t = 0; t < count; ++t) {
                const std::uint32_t* rows = &tuples.rows[(first + t) * tuples.members];
                const double energy = block.energy(t), none = energy - energy;
                all += energy;
                block.copy_parts(t, parts);
                for (std::size_t m = 0; m < tuples.members; ++m)
                    for (std::size_t axis = 0; axis < 3; ++axis)
                        acceleration[axis * stride + rows[m]] += (parts[3 * m + axis] + none) / mass[rows[m]];
            }
        }
    }
    return all;
}

}  // namespace trellis
