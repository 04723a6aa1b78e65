// Forces on this process's own threads (paper: method C1), by superparticles or by local expansions.
#pragma once

#include <vector>

#include "trellis/base/workspace.hpp"
#include "trellis/forces/compiled.hpp"
#include "trellis/forces/evaluator.hpp"

namespace trellis {

class HostEvaluator : public Evaluator {
  public:
    explicit HostEvaluator(CompiledInteraction interaction);

    void dispatch(const ListedTree& listed, Walk* walk, Phases& phases) override;
    Work retrieve(const ListedTree& listed, std::span<const ResultComponent> results, Phases& phases) override;

  private:
    void find_units(const ListedTree& listed);
    void prepare(Scene& scene, const ListedTree& listed, const ForceKernels& kernels, std::byte* j_particles,
                 std::byte* table);

    CompiledInteraction interaction_;
    std::vector<double> units_;          // of each cell's expansions
    Workspace cell_rows_;                // see ForceKernels::describe_cells
    Workspace j_particles_;              // see ForceKernels::j_particles
    std::vector<Workspace> workspaces_;  // of each thread
};

}  // namespace trellis
