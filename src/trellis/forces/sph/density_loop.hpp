// Densities and the smoothing lengths that belong to them: summed again where lengths have changed by more than their
// derivatives serve for, until no length changes.
#pragma once

#include <cstdint>
#include <vector>

#include "trellis/forces/force.hpp"
#include "trellis/forces/short_range/neighbour_evaluator.hpp"
#include "trellis/forces/short_range/neighbour_list_cache.hpp"
#include "trellis/forces/sph/kernels/sph_kernels.hpp"
#include "trellis/forces/sph/smoothing_length.hpp"

namespace trellis {

// The time since the last forces, on any rows with individual steps; 0 at the first. Else velocities were kicked
// halfway.
inline double elapsed_time(const ForceStep& step) { return step.rungs ? step.rungs->elapsed : 2 * step.since_kick; }

class DensityLoop {
  public:
    // neighbours: see smoothing_length.hpp.
    DensityLoop(const CompiledPairs& density, const SmoothingShape& shape, double neighbours, Precision precision);

    // See NeighbourEvaluator.
    void use_devices(const std::shared_ptr<DeviceNeighbours>& neighbours) { density_.use_devices(neighbours); }

    // Finds smoothing lengths of active rows, beginning with those predicted from the last step's, and fills the
    // columns of the density; those of other rows are predicted. Afterwards the lists are valid. Collective. Throws
    // RunError if a length cannot be found.
    Work solve(ParticleSet& particles, NeighbourListCache& neighbourhood, const Ranks* ranks, const ForceStep& step,
               Phases& phases);

  private:
    void predict(ParticleSet& particles, double elapsed) const;
    void begin_searches(const ForceStep& step);
    enum class Lengths { kept, near, far };  // found where they were; near there; still searched for
    Lengths advance(ParticleSet& particles, const ActiveRows& active, const Ranks* ranks);
    struct Columns;
    Lengths advance(const Columns& columns, std::uint32_t row);

    NeighbourEvaluator density_;
    SmoothingShape shape_;
    double neighbours_;
    std::vector<LengthSearch> searches_;  // of each row; of the present step where they are pending
    std::vector<std::uint8_t> pending_;   // 1 for each row whose search has not converged
    NeighbourSelection selection_;        // these rows
    // Lengths are those of the last step, predicted: the nearer, the shorter the step. Others are searched for until
    // densities are summed there, so that the change of div v in a short step is not that of their errors.
    bool predicted_ = false;
    std::vector<std::uint8_t> changed_;  // 1 for each row whose length has changed since its density was summed
};

}  // namespace trellis
