// The error of the forces, measured against direct summation in double precision.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "trellis/forces/force.hpp"
#include "trellis/ranks/comm/comm.hpp"

namespace trellis {

// The distribution of errors over the compared particles: the larger of |a - a_direct| / |a_direct| of the acceleration
// by forces that count for accuracy (Force::counts_for_accuracy), and of the same of all others over the larger of
// |a_direct| of the former and of all together. All zero without particles.
struct ForceError {
    double rms = 0;
    double median = 0;
    double percentile_99 = 0;
    double maximum = 0;
    double over_rms = 0;  // the same of the RMS of numerators over that of denominators: accuracy in a periodic box
};

// Compares the accelerations at `time` of count random particles (all, if there are fewer), whichever ranks they are
// on. Costs count * N pairs, shared by the ranks. Collective; the same on every rank.
ForceError measure_force_error(Comm& comm, const ParticleSet& particles,
                               const std::vector<std::shared_ptr<Force>>& forces, double time, std::size_t count,
                               std::uint64_t seed);

}  // namespace trellis
