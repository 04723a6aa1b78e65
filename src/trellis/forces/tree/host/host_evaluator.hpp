// Forces on this process's own threads (paper: method C1), by superparticles or by local expansions.
#pragma once

#include <vector>

#include "trellis/base/workspace.hpp"
#include "trellis/forces/tree/compiled_interaction.hpp"
#include "trellis/forces/tree/evaluator.hpp"
#include "trellis/forces/tree/host/host_tables.hpp"

namespace trellis {

class HostEvaluator : public Evaluator {
  public:
    explicit HostEvaluator(CompiledInteraction interaction);

    void describe(const ListedTree& listed, Phases& phases) override;
    void describe_imported(const ListedTree& listed, const ImportedCells& imported, Phases& phases) override;
    const CellMoments& cell_moments() const override { return tables_; }
    bool takes_parts() const override { return true; }
    void dispatch(const ListedTree& listed, Walk* walk, Phases& phases) override;
    Work retrieve(const ListedTree& listed, Part part, std::span<const ResultComponent> results,
                  const Meanwhile& meanwhile, Phases& phases) override;

  private:
    void make_room_for_kept(const Scene& scene);

    CompiledInteraction interaction_;
    HostTables tables_;
    std::vector<std::byte> kept_;           // local expansions of all targets, from Part::local to Part::imported
    std::vector<std::size_t> kept_begins_;  // of the trunk's targets and of each branch's in them
    std::vector<std::byte> trunk_locals_;   // local expansions of the trunk's targets
    std::vector<Work> branch_work_;
    std::vector<Workspace> workspaces_;  // of each thread
};

}  // namespace trellis
