#include "trellis/forces/gravity/periodic/far_images.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <mutex>

#include "trellis/base/parallel.hpp"
#include "trellis/forces/gravity/periodic/chebyshev.hpp"
#include "trellis/forces/gravity/periodic/far_images_kernel.hpp"

namespace trellis {

namespace {

constexpr std::size_t along = FarImages::along;

// The field of each point at each other, in units of the side: it depends on their distances along the three axes, in
// any order, and few distances differ.
class PointTable {
  public:
    explicit PointTable(const std::array<bool, 3>& periodic) {
        const double reach = PeriodicCube{}.reach();
        std::vector<double> distances;
        for (std::size_t a = 0; a < along; ++a)
            for (std::size_t b = 0; b < along; ++b) {
                const double apart = reach * std::abs(chebyshev_point(a, along) - chebyshev_point(b, along));
                const auto known =
                    std::ranges::find_if(distances, [&](double other) { return std::abs(other - apart) < 1e-12; });
                numbers_[a * along + b] = static_cast<std::size_t>(known - distances.begin());
                if (known == distances.end()) distances.push_back(apart);
            }
        count_ = distances.size();
        const std::vector<FarLattice> all =
            periodic == all_periodic ? fields_of_cube(distances) : fields(distances, periodic);
        fill_blocks(all, points_, &FarLattice::points);
        fill_blocks(all, cubes_, &FarLattice::cubes);
    }

    // The sums over 1 / r and over 1 / r^3.
    PointPairs points() const { return {numbers_.data(), count_, points_.data()}; }
    PointPairs cubes() const { return {numbers_.data(), count_, cubes_.data()}; }

  private:
    std::size_t number(std::size_t x, std::size_t y, std::size_t z) const { return (x * count_ + y) * count_ + z; }

    // The field at all combinations of three distances.
    std::vector<FarLattice> fields(const std::vector<double>& distances, const std::array<bool, 3>& periodic) const {
        std::vector<Vec3<double>> positions;
        for (const double x : distances)
            for (const double y : distances)
                for (const double z : distances) positions.push_back({x, y, z});
        return fields_at(positions, periodic);
    }

    // The fields of a lattice that is periodic along all axes, where the order of distances does not matter.
    std::vector<FarLattice> fields_of_cube(const std::vector<double>& distances) const {
        std::vector<std::array<std::size_t, 3>> sorted;
        std::vector<Vec3<double>> positions;
        for (std::size_t x = 0; x < count_; ++x)
            for (std::size_t y = x; y < count_; ++y)
                for (std::size_t z = y; z < count_; ++z) {
                    sorted.push_back({x, y, z});
                    positions.push_back({distances[x], distances[y], distances[z]});
                }
        const std::vector<FarLattice> values = fields_at(positions, all_periodic);
        std::vector<FarLattice> all(count_ * count_ * count_);
        for (std::size_t k = 0; k < sorted.size(); ++k) {
            std::array<std::size_t, 3> axes = sorted[k];
            do all[number(axes[0], axes[1], axes[2])] = values[k];
            while (std::ranges::next_permutation(axes).found);
        }
        return all;
    }

    static std::vector<FarLattice> fields_at(std::span<const Vec3<double>> positions,
                                             const std::array<bool, 3>& periodic) {
        std::vector<FarLattice> values(positions.size());
        constexpr std::size_t stretch = 64;
        parallel_tasks((positions.size() + stretch - 1) / stretch, [&](std::size_t task, int) {
            const std::size_t first = task * stretch, count = std::min(stretch, positions.size() - first);
            far_lattice(positions.subspan(first, count), periodic, std::span(values).subspan(first, count));
        });
        return values;
    }

    void fill_blocks(const std::vector<FarLattice>& all, std::vector<double>& blocks, double FarLattice::* sum) {
        blocks.reserve(count_ * count_ * along * along);
        for (std::size_t x = 0; x < count_; ++x)
            for (std::size_t y = 0; y < count_; ++y)
                for (const std::size_t z : numbers_) blocks.push_back(all[number(x, y, z)].*sum);
    }

    std::array<std::size_t, along * along> numbers_{};  // the number of the distance between two points along an axis
    std::size_t count_ = 0;                             // the number of different distances
    std::vector<double> points_, cubes_;                // see PointPairs
};

// The tables are made at the first call.
const PointTable& table_of(const std::array<bool, 3>& periodic) {
    static std::mutex one_at_a_time;
    static std::map<std::array<bool, 3>, PointTable> tables;
    const std::scoped_lock lock(one_at_a_time);
    return tables.try_emplace(periodic, periodic).first->second;
}

// Fixed stretches of positions, so that sums have the same bits for any number of threads.
template <class Work>
void in_stretches(std::size_t count, std::size_t stretch, const Work& work) {
    parallel_tasks((count + stretch - 1) / stretch, [&](std::size_t task, int) {
        work(task, task * stretch, std::min(stretch, count - task * stretch));
    });
}

}  // namespace

std::vector<double> FarImages::spread(const PeriodicCube& cube, std::span<const Vec3<double>> positions,
                                      std::span<const double> strengths) {
    const std::size_t stretch = std::max<std::size_t>(2048, positions.size() / 256);
    std::vector<std::vector<double>> parts((positions.size() + stretch - 1) / stretch);
    in_stretches(positions.size(), stretch, [&](std::size_t task, std::size_t first, std::size_t count) {
        parts[task].resize(points);
        TRELLIS_VARIANT(spread_strengths)
        (cube, positions.subspan(first, count), strengths.subspan(first, count), parts[task].data());
    });
    std::vector<double> sum(points);
    for (const auto& part : parts)
        for (std::size_t point = 0; point < points; ++point) sum[point] += part[point];
    return sum;
}

void FarImages::act(const PeriodicCube& cube, std::span<const double> strengths, std::span<const double> widened,
                    bool targets_differ) {
    const PointTable& table = table_of(cube.periodic);
    cube_ = cube;
    const double half = 0.5 / (cube.side * cube.side);
    parallel_tasks(along * along, [&](std::size_t ab, int) {
        const auto act_by = TRELLIS_VARIANT(act_on_points);
        const std::size_t a = ab / along, b = ab % along;
        double* field = field_.data() + ab * along;
        std::fill_n(field, along, 0.0);
        act_by(table.points(), a, b, 1, strengths.data(), field);
        act_by(table.cubes(), a, b, -half, widened.data(), field);
        std::fill_n(by_widening_.data() + ab * along, along, 0.0);
        if (targets_differ) act_by(table.cubes(), a, b, -half, strengths.data(), by_widening_.data() + ab * along);
    });
}

void FarImages::add(std::span<const Vec3<double>> positions, std::span<const double> widenings, double scale,
                    std::span<double> values, std::span<Vec3<double>> gradients) const {
    add_part(field_, positions, scale, values, gradients);
    if (widenings.empty()) return;
    std::vector<double> more_values(positions.size());
    std::vector<Vec3<double>> more_gradients(positions.size(), {0, 0, 0});
    add_part(by_widening_, positions, scale, more_values, more_gradients);
    parallel_for(positions.size(), [&](std::size_t k) {
        values[k] += widenings[k] * more_values[k];
        gradients[k] += widenings[k] * more_gradients[k];
    });
}

void FarImages::add_part(const Points& field, std::span<const Vec3<double>> positions, double scale,
                         std::span<double> values, std::span<Vec3<double>> gradients) const {
    const FieldScale scales{scale / cube_.side, scale / (cube_.side * cube_.reach())};
    in_stretches(positions.size(), 2048, [&](std::size_t, std::size_t first, std::size_t count) {
        TRELLIS_VARIANT(add_field)
        (cube_, field.data(), positions.subspan(first, count), scales, &values[first], &gradients[first]);
    });
}

}  // namespace trellis
