// The field at the particles, from the nodes of a patch.
#include "trellis/base/parallel.hpp"
#include "trellis/mesh/assignment.hpp"
#include "trellis/mesh/patch.hpp"

namespace trellis {

namespace {

template <int Order, class T>
PotentialAndGradient<double> interpolate_with(const MeshGrid& grid, const NodeBox& box,
                                              const std::vector<PotentialAndGradient<T>>& field,
                                              const Vec3<double>& point) {
    const BoxIndex in_box(grid.cells(), box);
    const Vec3<double> u = grid.in_cells(point);
    const auto x = node_weights<Order, T>(u.x), y = node_weights<Order, T>(u.y), z = node_weights<Order, T>(u.z);
    const auto at_x = in_box.template indices<Order>(0, x.first), at_y = in_box.template indices<Order>(1, y.first),
               at_z = in_box.template indices<Order>(2, z.first);
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
PotentialAndGradient<double> interpolate(const MeshGrid& grid, int order, const NodeBox& box,
                                         const std::vector<PotentialAndGradient<T>>& field, const Vec3<double>& point) {
    return with_order(order, [&](auto constant) { return interpolate_with<constant()>(grid, box, field, point); });
}

template PotentialAndGradient<double> interpolate(const MeshGrid&, int, const NodeBox&,
                                                  const std::vector<PotentialAndGradient<float>>&, const Vec3<double>&);
template PotentialAndGradient<double> interpolate(const MeshGrid&, int, const NodeBox&,
                                                  const std::vector<PotentialAndGradient<double>>&,
                                                  const Vec3<double>&);

}  // namespace trellis
