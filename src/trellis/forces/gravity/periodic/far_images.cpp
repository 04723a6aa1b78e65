#include "trellis/forces/gravity/periodic/far_images.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <mutex>
#include <vector>

#include "trellis/base/parallel.hpp"
#include "trellis/forces/gravity/periodic/ewald.hpp"

namespace trellis {

namespace {

std::vector<FarLattice> fields_at(std::span<const Vec3<double>> positions, const std::array<bool, 3>& periodic) {
    std::vector<FarLattice> values(positions.size());
    constexpr std::size_t stretch = 64;
    parallel_tasks((positions.size() + stretch - 1) / stretch, [&](std::size_t task, int) {
        const std::size_t first = task * stretch, count = std::min(stretch, positions.size() - first);
        far_lattice(positions.subspan(first, count), periodic, std::span(values).subspan(first, count));
    });
    return values;
}

// The fields at all displacements of a lattice that is periodic along all axes, whose order does not matter.
std::vector<FarLattice> fields_of_cube() {
    const std::vector<double>& distances = PointTable::distances();
    const std::size_t count = distances.size();
    std::vector<std::array<std::size_t, 3>> sorted;
    std::vector<Vec3<double>> positions;
    for (std::size_t x = 0; x < count; ++x)
        for (std::size_t y = x; y < count; ++y)
            for (std::size_t z = y; z < count; ++z) {
                sorted.push_back({x, y, z});
                positions.push_back({distances[x], distances[y], distances[z]});
            }
    const std::vector<FarLattice> values = fields_at(positions, all_periodic);
    std::vector<FarLattice> all(count * count * count);
    for (std::size_t k = 0; k < sorted.size(); ++k) {
        std::array<std::size_t, 3> axes = sorted[k];
        do all[(axes[0] * count + axes[1]) * count + axes[2]] = values[k];
        while (std::ranges::next_permutation(axes).found);
    }
    return all;
}

PointTable table_of(const std::vector<FarLattice>& fields, double FarLattice::* sum) {
    std::vector<double> values(fields.size());
    for (std::size_t k = 0; k < fields.size(); ++k) values[k] = fields[k].*sum;
    return PointTable(values);
}

// The field of each point at each other, in units of the side: the sums over 1 / r and over 1 / r^3.
struct FarTables {
    PointTable points, cubes;

    explicit FarTables(const std::vector<FarLattice>& fields)
        : points(table_of(fields, &FarLattice::points)), cubes(table_of(fields, &FarLattice::cubes)) {}
    explicit FarTables(const std::array<bool, 3>& periodic)
        : FarTables(periodic == all_periodic ? fields_of_cube() : fields_at(PointTable::displacements(), periodic)) {}
};

// The tables are made at the first call.
const FarTables& tables_of(const std::array<bool, 3>& periodic) {
    static std::mutex one_at_a_time;
    static std::map<std::array<bool, 3>, FarTables> tables;
    const std::scoped_lock lock(one_at_a_time);
    return tables.try_emplace(periodic, periodic).first->second;
}

}  // namespace

void FarImages::act(const PeriodicCube& cube, const PointValues& strengths, const PointValues& widened,
                    bool targets_differ) {
    const FarTables& tables = tables_of(cube.periodic);
    cube_ = cube;
    const double half = 0.5 / (cube.side * cube.side);
    field_.fill(0);
    tables.points.add(1, strengths, field_);
    tables.cubes.add(-half, widened, field_);
    by_widening_.fill(0);
    if (targets_differ) tables.cubes.add(-half, strengths, by_widening_);
}

void FarImages::add(std::span<const Vec3<double>> positions, std::span<const double> widenings, double scale,
                    std::span<double> values, std::span<Vec3<double>> gradients) const {
    add_between_points(cube_, field_, positions, scale / cube_.side, values, gradients);
    if (widenings.empty()) return;
    std::vector<double> more_values(positions.size());
    std::vector<Vec3<double>> more_gradients(positions.size(), {0, 0, 0});
    add_between_points(cube_, by_widening_, positions, scale / cube_.side, more_values, more_gradients);
    parallel_for(positions.size(), [&](std::size_t k) {
        values[k] += widenings[k] * more_values[k];
        gradients[k] += widenings[k] * more_gradients[k];
    });
}

}  // namespace trellis
