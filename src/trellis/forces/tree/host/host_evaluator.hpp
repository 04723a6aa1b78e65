// Forces on this process's own threads (paper: method C1), by superparticles or by local expansions.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "trellis/base/workspace.hpp"
#include "trellis/forces/tree/compiled_interaction.hpp"
#include "trellis/forces/tree/evaluator.hpp"
#include "trellis/forces/tree/host/host_tables.hpp"

namespace trellis {

class HostEvaluator : public Evaluator {
  public:
    // keeps_lists: see evaluator.hpp.
    HostEvaluator(CompiledInteraction interaction, bool keeps_lists);

    void describe(const ListedTree& listed, bool shared, Phases& phases) override;
    void describe_imported(const ListedTree& listed, const ImportedCells& imported, Phases& phases) override;
    const CellMoments& cell_moments() const override { return tables_; }
    bool takes_parts() const override { return true; }
    void dispatch(const ListedTree& listed, std::optional<Walk> walk, Phases& phases) override;
    Work retrieve(const ListedTree& listed, Part part, std::span<const ResultComponent> results,
                  const Meanwhile& meanwhile, Phases& phases) override;

  private:
    // Local expansions of a branch's targets, from Part::local to Part::imported.
    struct Kept {
        Workspace space;
        std::byte* locals = nullptr;
    };
    struct OfThread {
        Workspace workspace;
        Branch branch;             // where lists are not kept, the present one
        double seconds_listing{};  // at this step
    };

    const Branch& branch_of(const InteractionLists& lists, std::size_t number, int thread);
    Work evaluate(const Scene& scene, const Branch& branch, Kept& kept, Workspace& workspace);
    void note_listing(Phases& phases);

    CompiledInteraction interaction_;
    bool keeps_lists_;
    HostTables tables_;
    std::optional<Walk> walk_;             // makes the branches of the part that is retrieved next
    std::vector<Kept> kept_;               // the trunk's, then that of each branch
    std::vector<std::byte> trunk_locals_;  // local expansions of the trunk's targets
    std::vector<Work> branch_work_;
    std::vector<OfThread> threads_;
};

}  // namespace trellis
