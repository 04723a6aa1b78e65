#include "trellis/forces/gravity/periodic/ewald.hpp"

#include "trellis/forces/gravity/periodic/ewald_kernel.hpp"

namespace trellis {

LatticeField lattice_sum(const LatticeSources& sources, const Vec3<double>& target, double widening, std::int64_t self,
                         const Vec3<double>& sides) {
    return TRELLIS_VARIANT(sum_lattice)(sources, target, widening, self, sides);
}

void far_lattice(std::span<const Vec3<double>> places, std::span<FarLattice> values) {
    TRELLIS_VARIANT(sum_far_lattice)(places, values);
}

}  // namespace trellis
