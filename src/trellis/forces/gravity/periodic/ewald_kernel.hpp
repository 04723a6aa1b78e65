// The inner loops of the lattice sum. Compiled for each instruction set.
#pragma once

#include "trellis/base/isa.hpp"
#include "trellis/forces/gravity/periodic/ewald.hpp"

namespace trellis {

TRELLIS_DECLARE_VARIANTS(LatticeField sum_lattice(const LatticeSources& sources, const Vec3<double>& target,
                                                  double widening, std::int64_t self, const Vec3<double>& sides))
TRELLIS_DECLARE_VARIANTS(void sum_far_lattice(std::span<const Vec3<double>> positions, std::span<FarLattice> values))

}  // namespace trellis
