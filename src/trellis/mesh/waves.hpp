// The waves whose coefficients a rank has.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "trellis/base/parallel.hpp"
#include "trellis/mesh/assignment.hpp"
#include "trellis/mesh/mesh_grid.hpp"

namespace trellis {

// Calls visit(index in memory, indices along x, y, z) for each coefficient of the box; planes of x in parallel.
template <class Visit>
void for_coefficients(const NodeBox& box, const Visit& visit) {
    parallel_tasks(static_cast<std::size_t>(box.count[0]), [&](std::size_t plane, int) {
        const int x = static_cast<int>(plane);
        for (int y = 0; y < box.count[1]; ++y)
            for (int z = 0; z < box.count[2]; ++z)
                visit(box.at(x, y, z), Nodes{box.first[0] + x, box.first[1] + y, box.first[2] + z});
    });
}

// The wave of a coefficient, and the transform of the assignment there.
struct Wave {
    Vec3<double> k{};
    double k2 = 0, window = 1;
};

class Waves {
  public:
    Waves(const MeshGrid& grid, int order) {
        for (std::size_t axis = 0; axis < 3; ++axis)
            for (int index = 0; index < grid.cells()[axis]; ++index) {
                wavenumber_[axis].push_back(grid.wavenumber(axis, index));
                spread_[axis].push_back(assignment_transform(order, wavenumber_[axis].back() * grid.spacing()[axis]));
            }
    }

    Wave operator()(const Nodes& index) const {
        Wave wave;
        for (std::size_t axis = 0; axis < 3; ++axis) {
            const auto i = static_cast<std::size_t>(index[axis]);
            wave.k[axis] = wavenumber_[axis][i];
            wave.k2 += wave.k[axis] * wave.k[axis];
            wave.window *= spread_[axis][i];
        }
        return wave;
    }

  private:
    std::array<std::vector<double>, 3> wavenumber_, spread_;
};

}  // namespace trellis
