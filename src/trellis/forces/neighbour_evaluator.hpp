// A short-range interaction ready to be evaluated, over any neighbourhood that has everyone within its reach, on this process's own threads.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "trellis/base/workspace.hpp"
#include "trellis/forces/neighbour_kernels.hpp"
#include "trellis/forces/settings.hpp"
#include "trellis/lists/neighbourhood.hpp"

namespace trellis {

class NeighbourEvaluator {
  public:
    // interaction: as the kernels take it. Single precision unless double is asked for.
    NeighbourEvaluator(NeighbourKernels kernels, std::shared_ptr<const void> interaction, Precision precision);

    // Whether sums are added to the columns of the outcome, or replace what is there.
    enum class Sums { add, replace };

    // What all particles that count do to each of the particles. Collective, where the neighbourhood is. groups: only these groups' particles, by a flag for
    // each group of the lists that is not 0; empty: all. Throws InputError if a column that is read is missing or not finite.
    Work evaluate(const Neighbourhood& neighbourhood, ParticleSet& particles, Sums sums, Phases& phases,
                  std::span<const std::uint8_t> groups = {});

    const NeighbourKernels& kernels() const { return kernels_; }
    const void* interaction() const { return interaction_.get(); }

  private:
    NeighbourScene scene(const Neighbourhood& neighbourhood) const;

    NeighbourKernels kernels_;
    std::shared_ptr<const void> interaction_;
    NeighbourKernels::Evaluate evaluate_;
    SortedColumns columns_;
    std::vector<Workspace> workspaces_;  // of each thread
};

}  // namespace trellis
