#include "trellis/forces/tree/periodic/image_points.hpp"

#include <algorithm>
#include <cmath>

#include "trellis/base/parallel.hpp"
#include "trellis/forces/tree/periodic/chebyshev.hpp"
#include "trellis/forces/tree/periodic/image_points_kernel.hpp"

namespace trellis {

namespace {

constexpr std::size_t along = points_along;

// The different distances of two points along an axis, and the number of that of each pair.
struct Distances {
    std::vector<double> all;
    std::array<std::size_t, along * along> number;

    Distances() {
        const double reach = PeriodicCube{}.reach();
        for (std::size_t a = 0; a < along; ++a)
            for (std::size_t b = 0; b < along; ++b) {
                const double apart = reach * std::abs(chebyshev_point(a, along) - chebyshev_point(b, along));
                const auto known =
                    std::ranges::find_if(all, [&](double other) { return std::abs(other - apart) < 1e-12; });
                number[a * along + b] = static_cast<std::size_t>(known - all.begin());
                if (known == all.end()) all.push_back(apart);
            }
    }
};

const Distances& of_points() {
    static const Distances distances;
    return distances;
}

// Fixed stretches of positions, so that sums have the same bits for any number of threads.
template <class Work>
void in_stretches(std::size_t count, std::size_t stretch, const Work& work) {
    parallel_tasks((count + stretch - 1) / stretch, [&](std::size_t task, int) {
        work(task, task * stretch, std::min(stretch, count - task * stretch));
    });
}

}  // namespace

PointValues sum_of_points(PointValues a, const PointValues& b) {
    for (std::size_t point = 0; point < a.size(); ++point) a[point] += b[point];
    return a;
}

PointValues spread_onto_points(const PeriodicCube& cube, std::span<const Vec3<double>> positions,
                               std::span<const double> strengths) {
    const std::size_t stretch = std::max<std::size_t>(2048, positions.size() / 256);
    std::vector<PointValues> parts((positions.size() + stretch - 1) / stretch);
    in_stretches(positions.size(), stretch, [&](std::size_t task, std::size_t first, std::size_t count) {
        parts[task].fill(0);
        TRELLIS_VARIANT(spread_strengths)
        (cube, positions.subspan(first, count), strengths.subspan(first, count), parts[task].data());
    });
    PointValues sum{};
    for (const PointValues& part : parts) sum = sum_of_points(sum, part);
    return sum;
}

const std::vector<double>& PointTable::distances() { return of_points().all; }

std::vector<Vec3<double>> PointTable::displacements() {
    std::vector<Vec3<double>> all;
    for (const double x : distances())
        for (const double y : distances())
            for (const double z : distances()) all.push_back({x, y, z});
    return all;
}

PointTable::PointTable(std::span<const double> field) {
    const std::size_t count = distances().size();
    blocks_.reserve(count * count * along * along);
    for (std::size_t xy = 0; xy < count * count; ++xy)
        for (const std::size_t z : of_points().number) blocks_.push_back(field[xy * count + z]);
}

void PointTable::add(double scale, const PointValues& strengths, PointValues& field) const {
    const PointPairs pairs{of_points().number.data(), distances().size(), blocks_.data()};
    parallel_tasks(along * along, [&](std::size_t ab, int) {
        TRELLIS_VARIANT(act_on_points)
        (pairs, ab / along, ab % along, scale, strengths.data(), field.data() + ab * along);
    });
}

void add_between_points(const PeriodicCube& cube, const PointValues& field, std::span<const Vec3<double>> positions,
                        double scale, std::span<double> values, std::span<Vec3<double>> gradients) {
    const FieldScale scales{scale, scale / cube.reach()};
    in_stretches(positions.size(), 2048, [&](std::size_t, std::size_t first, std::size_t count) {
        TRELLIS_VARIANT(add_field)
        (cube, field.data(), positions.subspan(first, count), scales, &values[first], &gradients[first]);
    });
}

}  // namespace trellis
