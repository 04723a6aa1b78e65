// The field: from the nodes of a patch to the particles.
#include "trellis/base/parallel.hpp"
#include "trellis/mesh/assignment.hpp"
#include "trellis/mesh/patch.hpp"

namespace trellis {

namespace {

template <int Order, class T>
PotentialAndGradient<double> interpolate_with(const MeshGrid& grid, const NodeBox& box,
                                              const std::vector<PotentialAndGradient<T>>& field,
                                              const Vec3<double>& place) {
    const BoxPlaces in_box(grid.cells(), box);
    const Vec3<double> u = grid.in_cells(place);
    const auto x = node_weights<Order, T>(u.x), y = node_weights<Order, T>(u.y), z = node_weights<Order, T>(u.z);
    const auto at_x = in_box.template positions<Order>(0, x.first), at_y = in_box.template positions<Order>(1, y.first),
               at_z = in_box.template positions<Order>(2, z.first);
    PotentialAndGradient<T> sum{};
    for (std::size_t i = 0; i < Order; ++i)
        for (std::size_t j = 0; j < Order; ++j) {
            const PotentialAndGradient<T>* line = field.data() + box.at(at_x[i], at_y[j], 0);
            const T in_line = x.weight[i] * y.weight[j];
            for (std::size_t k = 0; k < Order; ++k) {
                const T weight = in_line * z.weight[k];
                for (std::size_t c = 0; c < 4; ++c) sum[c] += weight * line[at_z[k]][c];
            }
        }
    return {static_cast<double>(sum[0]), static_cast<double>(sum[1]), static_cast<double>(sum[2]),
            static_cast<double>(sum[3])};
}

}  // namespace

template <class T>
std::vector<PotentialAndGradient<T>> with_differences(const MeshGrid& grid, const NodeBox& box, const NodeBox& around,
                                                      const std::vector<T>& potential) {
    std::vector<PotentialAndGradient<T>> field(box.size());
    const BoxPlaces in_around(grid.cells(), around);
    parallel_tasks(static_cast<std::size_t>(box.count[0]), [&](std::size_t plane, int) {
        constexpr int points = 2 * difference_margin + 1, middle = difference_margin;
        const auto x = in_around.template positions<points>(0, box.first[0] + static_cast<int>(plane) - middle);
        for (int j = 0; j < box.count[1]; ++j) {
            const auto y = in_around.template positions<points>(1, box.first[1] + j - middle);
            for (int k = 0; k < box.count[2]; ++k) {
                const auto z = in_around.template positions<points>(2, box.first[2] + k - middle);
                const auto along = [&](std::size_t axis, const auto& at) {
                    const T near = potential[at(middle + 1)] - potential[at(middle - 1)];
                    const T far = potential[at(middle + 2)] - potential[at(middle - 2)];
                    return static_cast<T>((8 * near - far) * static_cast<T>(1 / (12 * grid.spacing()[axis])));
                };
                const auto p = [](int number) { return static_cast<std::size_t>(number); };
                field[box.at(static_cast<int>(plane), j, k)] = {
                    potential[around.at(x[middle], y[middle], z[middle])],
                    along(0, [&](int n) { return around.at(x[p(n)], y[middle], z[middle]); }),
                    along(1, [&](int n) { return around.at(x[middle], y[p(n)], z[middle]); }),
                    along(2, [&](int n) { return around.at(x[middle], y[middle], z[p(n)]); })};
            }
        }
    });
    return field;
}

template <class T>
PotentialAndGradient<double> interpolate(const MeshGrid& grid, int order, const NodeBox& box,
                                         const std::vector<PotentialAndGradient<T>>& field, const Vec3<double>& place) {
    return with_order(order, [&](auto constant) { return interpolate_with<constant()>(grid, box, field, place); });
}

// NOLINTBEGIN(bugprone-macro-parentheses): a type
#define TRELLIS_FIELD_OF_PATCH(T)                                                                                   \
    template std::vector<PotentialAndGradient<T>> with_differences(const MeshGrid&, const NodeBox&, const NodeBox&, \
                                                                   const std::vector<T>&);                          \
    template PotentialAndGradient<double> interpolate(                                                              \
        const MeshGrid&, int, const NodeBox&, const std::vector<PotentialAndGradient<T>>&, const Vec3<double>&);
// NOLINTEND(bugprone-macro-parentheses)
TRELLIS_FIELD_OF_PATCH(float)
TRELLIS_FIELD_OF_PATCH(double)
#undef TRELLIS_FIELD_OF_PATCH

}  // namespace trellis
