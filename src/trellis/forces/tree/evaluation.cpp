#include "trellis/forces/tree/evaluation.hpp"

#include <optional>
#include <utility>

namespace trellis {

namespace {

void begin_imports(StepKind kind, Evaluator& evaluator, const ListedTree& listed, Imports& imports, Phases& phases) {
    evaluator.describe(listed, imports.any(), phases);
    imports.begin(kind, listed, evaluator.cell_moments(), phases);
}

// Begins lists by a function of ListedTree, which makes or checks them.
Walk start(ListedTree& listed, Walk (ListedTree::*lists)(), Phases& phases) {
    const PhaseTimer timer(phases, Phase::make_interaction_list);
    return (listed.*lists)();
}

// Takes the imports and gives them to the evaluator. False without imports.
bool describe_imports(Evaluator& evaluator, ListedTree& listed, Imports& imports, Phases& phases) {
    const ImportedCells* imported = imports.take(listed, evaluator.cell_moments(), phases);
    if (imported == nullptr) return false;
    evaluator.describe_imported(listed, *imported, phases);
    imports.drop();
    return true;
}

// Separate lists of local cells and of imported ones: the local ones are made, checked and evaluated while imported
// cells travel.
class InParts final : public Evaluation {
  public:
    using Evaluation::Evaluation;

    bool lists_images() const override { return true; }

    void construct(ListedTree& listed, Imports& imports, Phases& phases) override {
        begin_imports(StepKind::construct, evaluator(), listed, imports, phases);
        evaluator().dispatch(listed, start(listed, &ListedTree::start_local_lists, phases), phases);
    }

    bool reuse(ListedTree& listed, Imports& imports, std::optional<double> growth, Phases& phases) override {
        begin_imports(StepKind::reuse, evaluator(), listed, imports, phases);
        if (growth && !valid(listed, imports, *growth, phases)) return false;
        evaluator().dispatch(listed, std::nullopt, phases);
        return true;
    }

    void take_imported(ListedTree& listed, Imports& imports, Phases& phases) override {
        if (!describe_imports(evaluator(), listed, imports, phases)) return;
        if (imports.kind() == StepKind::construct)
            evaluator().dispatch(listed, start(listed, &ListedTree::start_imported_lists, phases), phases);
    }

    Work retrieve(ListedTree& listed, Imports& imports, std::span<const ResultComponent> results,
                  Phases& phases) override {
        const Part first = imports.any() ? Part::local : Part::whole;
        Work work = evaluator().retrieve(listed, first, results, [&] { imports.progress(); }, phases);
        if (!imports.any()) return work;
        take_imported(listed, imports, phases);
        if (listed.columns().size() > 0) work += evaluator().retrieve(listed, Part::imported, results, [] {}, phases);
        return work;
    }

  private:
    bool valid(ListedTree& listed, Imports& imports, double growth, Phases& phases) {
        bool here = listed.local_lists_valid(growth, phases);
        take_imported(listed, imports, phases);
        if (imports.any() && listed.columns().size() > 0) here = here && listed.imported_lists_valid(growth, phases);
        return imports.on_all_ranks(here);
    }
};

// Local and imported cells are on the same lists, which are made when all imports have arrived.
class AsWhole final : public Evaluation {
  public:
    using Evaluation::Evaluation;

    bool lists_images() const override { return false; }

    void construct(ListedTree& listed, Imports& imports, Phases& phases) override {
        begin_imports(StepKind::construct, evaluator(), listed, imports, phases);
        take_imported(listed, imports, phases);
        const auto lists = imports.any() ? &ListedTree::start_all_lists : &ListedTree::start_local_lists;
        evaluator().dispatch(listed, start(listed, lists, phases), phases);
    }

    bool reuse(ListedTree& listed, Imports& imports, std::optional<double> growth, Phases& phases) override {
        begin_imports(StepKind::reuse, evaluator(), listed, imports, phases);
        take_imported(listed, imports, phases);
        if (growth && !imports.on_all_ranks(listed.columns().size() == 0 || listed.local_lists_valid(*growth, phases)))
            return false;
        evaluator().dispatch(listed, std::nullopt, phases);
        return true;
    }

    void take_imported(ListedTree& listed, Imports& imports, Phases& phases) override {
        describe_imports(evaluator(), listed, imports, phases);
    }

    Work retrieve(ListedTree& listed, Imports&, std::span<const ResultComponent> results, Phases& phases) override {
        return evaluator().retrieve(listed, Part::whole, results, [] {}, phases);
    }
};

}  // namespace

std::unique_ptr<Evaluation> evaluation_by(std::unique_ptr<Evaluator> evaluator) {
    if (evaluator->takes_parts()) return std::make_unique<InParts>(std::move(evaluator));
    return std::make_unique<AsWhole>(std::move(evaluator));
}

}  // namespace trellis
