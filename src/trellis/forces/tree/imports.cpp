#include "trellis/forces/tree/imports.hpp"

#include "trellis/ranks/comm/collective.hpp"

namespace trellis {

void Imports::begin(StepKind kind, const ListedTree& listed, const CellMoments& moments, Phases& phases) {
    kind_ = kind;
    if (!any()) return;
    if (kind == StepKind::construct)
        essential_.begin(*ranks_, listed, moments, phases);
    else
        essential_.begin_update(*ranks_, listed, moments, phases);
}

const ImportedCells* Imports::take(ListedTree& listed, const CellMoments& moments, Phases& phases) {
    if (!essential_.under_way()) return nullptr;
    const ImportedCells& imported = essential_.finish(listed, moments, phases);
    if (listed.columns().size() == 0) return nullptr;
    const PhaseTimer timer(phases, Phase::calculate_moments);
    kind_ == StepKind::construct ? listed.add_imported(imported) : listed.refresh_imported(imported);
    return &imported;
}

void Imports::drop() {
    if (!keeps_lists_) essential_.drop();
}

bool Imports::on_all_ranks(bool here) const { return any() ? !any_rank(*ranks_->comm, !here) : here; }

}  // namespace trellis
