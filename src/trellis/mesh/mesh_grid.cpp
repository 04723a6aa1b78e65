#include "trellis/mesh/mesh_grid.hpp"

#include <numbers>
#include <string>

#include "trellis/base/error.hpp"

namespace trellis {

MeshGrid::MeshGrid(const Region& region, const Nodes& cells) : region_(region), cells_(cells) {
    constexpr int fewest = 4, most = 16384;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        if (!region.periodic(axis))
            throw InputError(std::string("a mesh needs a box that is periodic along all axes: along ") + "xyz"[axis] +
                             " space is open");
        if (cells[axis] < fewest || cells[axis] > most)
            throw InputError("a mesh has " + std::to_string(cells[axis]) + " cells along " + "xyz"[axis] +
                             ": allowed are 4 to 16384");
        spacing_[axis] = (region.high[axis] - region.low[axis]) / cells[axis];
        per_spacing_[axis] = cells[axis] / (region.high[axis] - region.low[axis]);
    }
}

double MeshGrid::volume() const {
    const Vec3<double> sides = region_.high - region_.low;
    return sides.x * sides.y * sides.z;
}

Vec3<double> MeshGrid::in_cells(const Vec3<double>& point) const {
    const Vec3<double> from_low = point - region_.low;
    return {from_low.x * per_spacing_.x, from_low.y * per_spacing_.y, from_low.z * per_spacing_.z};
}

double MeshGrid::wavenumber(std::size_t axis, int index) const {
    const int signed_index = index <= cells_[axis] / 2 ? index : index - cells_[axis];
    return 2 * std::numbers::pi / (region_.high[axis] - region_.low[axis]) * signed_index;
}

}  // namespace trellis
