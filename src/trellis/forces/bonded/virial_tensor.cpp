#include "trellis/forces/bonded/virial_tensor.hpp"

#include <algorithm>
#include <vector>

#include "trellis/base/parallel.hpp"
#include "trellis/forces/bonded/tuple_block.hpp"
#include "trellis/lists/tuples/local_tuples.hpp"
#include "trellis/particles/nearest_images.hpp"
#include "trellis/ranks/comm/collective.hpp"

namespace trellis {

using namespace fields;

namespace {

using Tensor = std::array<Vec3<double>, 3>;

Tensor sum_of(Tensor a, const Tensor& b) {
    for (std::size_t axis = 0; axis < 3; ++axis) a[axis] += b[axis];
    return a;
}

}  // namespace

// Each rank with a member of a tuple computes it, and counts its own members' share.
Tensor virial_tensor(Comm& comm, const ParticleSet& particles, const TuplePotential& potential) {
    LocalTuples tuples(potential.tuples);
    tuples.find(particles, comm.size() > 1 ? &comm : nullptr, false);
    const auto& columns = potential.function->columns;
    std::vector<double> imported;
    if (comm.size() > 1) imported = ImportedMembers::finish(*tuples.imported().begin(comm, particles, columns));
    const Members members(particles, columns, imported);
    const std::size_t each = tuples.list().each();
    const NearestImage nearest(particles.region());
    const auto of_block = [&](std::size_t begin, std::size_t end) {
        Tensor sum{};
        TupleBlock block(*potential.function, each);
        for (std::size_t first = begin; first < end; first += tuples_at_once) {
            const std::size_t count = std::min(end - first, tuples_at_once);
            for (std::size_t t = 0; t < count; ++t)
                block.set(t, tuples.in_list(first + t), nearest, members, tuples.slots(first + t));
            block.evaluate(count);
            for (std::size_t t = 0; t < count; ++t) {
                const auto own = std::ranges::count_if(tuples.slots(first + t),
                                                       [&](std::uint32_t slot) { return slot < tuples.rows(); });
                block.add_virial(t, static_cast<double>(own) / static_cast<double>(each), sum);
            }
        }
        return sum;
    };
    return all_reduce(comm, parallel_reduce(tuples.size(), Tensor{}, of_block, sum_of), sum_of);
}

}  // namespace trellis
