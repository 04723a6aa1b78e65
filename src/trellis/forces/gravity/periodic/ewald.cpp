#include "trellis/forces/gravity/periodic/ewald.hpp"

#include <cmath>
#include <limits>

#include "trellis/forces/gravity/periodic/ewald_kernel.hpp"
#include "trellis/forces/gravity/periodic/open_lattice.hpp"

namespace trellis {

namespace {

LatticeField sum_open_lattice(const LatticeSources& sources, const Vec3<double>& target, double widening,
                              std::int64_t self, const Vec3<double>& sides) {
    LatticeField total;
    for (std::size_t row = 0; row < sources.positions.size(); ++row) {
        const double e = sources.softenings.empty() ? 0 : sources.softenings[row];
        const int left_out = static_cast<std::int64_t>(row) == self ? 0 : -1;
        const Vec3<double> d = left_out == 0 ? Vec3<double>{0, 0, 0} : sources.positions[row] - target;
        const OpenLatticeField field = open_lattice(d, widening + 0.5 * e * e, sides, left_out);
        total.value += sources.strengths[row] * field.value;
        total.gradient += sources.strengths[row] * field.gradient;
    }
    return total;
}

bool is_open(const Vec3<double>& sides) {
    return !(std::isfinite(sides.x) && std::isfinite(sides.y) && std::isfinite(sides.z));
}

}  // namespace

LatticeField lattice_sum(const LatticeSources& sources, const Vec3<double>& target, double widening, std::int64_t self,
                         const Vec3<double>& sides) {
    if (is_open(sides)) return sum_open_lattice(sources, target, widening, self, sides);
    return TRELLIS_VARIANT(sum_lattice)(sources, target, widening, self, sides);
}

void far_lattice(std::span<const Vec3<double>> positions, const std::array<bool, 3>& periodic,
                 std::span<FarLattice> values) {
    if (periodic == all_periodic) {
        TRELLIS_VARIANT(sum_far_lattice)(positions, values);
        return;
    }
    Vec3<double> sides{1, 1, 1};
    for (std::size_t axis = 0; axis < 3; ++axis)
        if (!periodic[axis]) sides[axis] = std::numeric_limits<double>::infinity();
    for (std::size_t k = 0; k < positions.size(); ++k) {
        const OpenLatticeField field = open_lattice(positions[k], 0, sides, 1);
        values[k] = {field.value, field.cubes};
    }
}

}  // namespace trellis
