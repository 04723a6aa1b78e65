// The density of the particles at the nodes of a patch.
#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>

#include "trellis/base/parallel.hpp"
#include "trellis/mesh/assignment.hpp"
#include "trellis/mesh/patch.hpp"

namespace trellis {

namespace {

// The rows in the order of the plane of x in which the first of their nodes lies; those of one plane in their own
// order.
struct RowsByPlane {
    std::vector<std::uint32_t> rows;
    std::vector<std::size_t> begin;  // where each plane begins, and the end
};

template <int Order>
RowsByPlane sorted_by_plane(const MeshGrid& grid, const NodeBox& box, std::span<const Vec3<double>> positions) {
    constexpr std::size_t block = 16384;
    const auto planes = static_cast<std::size_t>(box.count[0]);
    const std::size_t blocks = (positions.size() + block - 1) / block;
    const BoxIndex in_box(grid.cells(), box);
    std::vector<std::uint16_t> plane(positions.size());
    std::vector<std::size_t> next(blocks * planes);  // first the number of a block's rows in a plane
    parallel_tasks(blocks, [&](std::size_t b, int) {
        for (std::size_t row = b * block; row < std::min(positions.size(), (b + 1) * block); ++row) {
            const int first = node_weights<Order, double>(grid.in_cells(positions[row]).x).first;
            plane[row] = static_cast<std::uint16_t>(in_box.index(0, first));
            ++next[b * planes + plane[row]];
        }
    });
    RowsByPlane sorted{std::vector<std::uint32_t>(positions.size()), {}};
    std::size_t total = 0;
    for (std::size_t p = 0; p < planes; ++p) {
        sorted.begin.push_back(total);
        for (std::size_t b = 0; b < blocks; ++b) total += std::exchange(next[b * planes + p], total);
    }
    sorted.begin.push_back(total);
    parallel_tasks(blocks, [&](std::size_t b, int) {
        for (std::size_t row = b * block; row < std::min(positions.size(), (b + 1) * block); ++row)
            sorted.rows[next[b * planes + plane[row]]++] = static_cast<std::uint32_t>(row);
    });
    return sorted;
}

template <int Order, class T>
void spread(const BoxIndex& in_box, const NodeBox& box, const Vec3<double>& in_cells, T strength, T* density) {
    const auto x = node_weights<Order, T>(in_cells.x), y = node_weights<Order, T>(in_cells.y),
               z = node_weights<Order, T>(in_cells.z);
    const auto at_x = in_box.template indices<Order>(0, x.first), at_y = in_box.template indices<Order>(1, y.first),
               at_z = in_box.template indices<Order>(2, z.first);
    for (std::size_t i = 0; i < Order; ++i)
        for (std::size_t j = 0; j < Order; ++j) {
            T* line = density + box.at(at_x[i], at_y[j], 0);
            const T in_line = strength * x.weight[i] * y.weight[j];
            for (std::size_t k = 0; k < Order; ++k) line[at_z[k]] += in_line * z.weight[k];
        }
}

// Groups of planes, no thinner than the reach of a particle, whose particles are spread by one thread. Neighbouring
// groups, which share nodes, do not work at the same time: first those of even number, then those of odd number, then,
// if their number is odd, the last, which touches the first across the box.
template <int Order, class T>
std::vector<T> assign_with(const MeshGrid& grid, const NodeBox& box, std::span<const Vec3<double>> positions,
                           std::span<const double> strengths) {
    std::vector<T> density(box.size());
    if (positions.empty()) return density;
    const RowsByPlane sorted = sorted_by_plane<Order>(grid, box, positions);
    const BoxIndex in_box(grid.cells(), box);
    constexpr std::size_t thickness = 4;
    const auto planes = static_cast<std::size_t>(box.count[0]);
    const std::size_t groups = std::max<std::size_t>(1, planes / thickness), alone = groups % 2 == 1 ? 1 : 0;
    const auto spread_group = [&](std::size_t group) {
        const std::size_t begin = sorted.begin[planes * group / groups];
        const std::size_t end = sorted.begin[planes * (group + 1) / groups];
        for (std::size_t k = begin; k < end; ++k) {
            const std::uint32_t row = sorted.rows[k];
            spread<Order>(in_box, box, grid.in_cells(positions[row]), static_cast<T>(strengths[row]), density.data());
        }
    };
    for (std::size_t odd : {0, 1})
        parallel_tasks((groups - alone) / 2, [&](std::size_t pair, int) { spread_group(2 * pair + odd); });
    if (alone == 1) spread_group(groups - 1);
    return density;
}

struct Range {
    std::array<int, 3> low, high;
};

template <int Order>
NodeBox nodes_around_with(const MeshGrid& grid, std::span<const Vec3<double>> positions) {
    constexpr int lowest = std::numeric_limits<int>::min(), highest = std::numeric_limits<int>::max();
    if (positions.empty()) return {};
    const auto join = [](Range a, const Range& b) {
        for (std::size_t axis = 0; axis < 3; ++axis) {
            a.low[axis] = std::min(a.low[axis], b.low[axis]);
            a.high[axis] = std::max(a.high[axis], b.high[axis]);
        }
        return a;
    };
    const Range range = parallel_reduce(
        positions.size(), Range{{highest, highest, highest}, {lowest, lowest, lowest}},
        [&](std::size_t begin, std::size_t end) {
            Range found{{highest, highest, highest}, {lowest, lowest, lowest}};
            for (std::size_t row = begin; row < end; ++row) {
                const Vec3<double> u = grid.in_cells(positions[row]);
                for (std::size_t axis = 0; axis < 3; ++axis) {
                    const int first = node_weights<Order, double>(u[axis]).first;
                    found.low[axis] = std::min(found.low[axis], first);
                    found.high[axis] = std::max(found.high[axis], first);
                }
            }
            return found;
        },
        join);
    NodeBox box{range.low, {}};
    for (std::size_t axis = 0; axis < 3; ++axis)
        box.count[axis] = std::min(range.high[axis] - range.low[axis] + Order, grid.cells()[axis]);
    return box;
}

}  // namespace

NodeBox nodes_around(const MeshGrid& grid, int order, std::span<const Vec3<double>> positions) {
    return with_order(order, [&](auto constant) { return nodes_around_with<constant()>(grid, positions); });
}

template <class T>
std::vector<T> assign(const MeshGrid& grid, int order, const NodeBox& box, std::span<const Vec3<double>> positions,
                      std::span<const double> strengths) {
    return with_order(order,
                      [&](auto constant) { return assign_with<constant(), T>(grid, box, positions, strengths); });
}

template std::vector<float> assign(const MeshGrid&, int, const NodeBox&, std::span<const Vec3<double>>,
                                   std::span<const double>);
template std::vector<double> assign(const MeshGrid&, int, const NodeBox&, std::span<const Vec3<double>>,
                                    std::span<const double>);

}  // namespace trellis
