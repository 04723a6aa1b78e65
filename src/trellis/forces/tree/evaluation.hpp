// A step of a tree force after its tree is known: lists, imports and forces, in the order that suits the evaluator.
#pragma once

#include <memory>
#include <optional>
#include <span>

#include "trellis/forces/tree/evaluator.hpp"
#include "trellis/forces/tree/imports.hpp"

namespace trellis {

class Evaluation {
  public:
    explicit Evaluation(std::unique_ptr<Evaluator> evaluator) : evaluator_(std::move(evaluator)) {}
    virtual ~Evaluation() = default;

    // Construction step, of a tree just built: makes the interaction lists and begins the forces.
    virtual void construct(ListedTree& listed, Imports& imports, Phases& phases) = 0;
    // Reusing step, of a tree just refreshed: begins the forces, if the lists are still valid on all ranks. growth: see
    // still_accepted; without it, the lists are not checked. True if they are valid.
    virtual bool reuse(ListedTree& listed, Imports& imports, std::optional<double> growth, Phases& phases) = 0;
    // Takes the imports that are still on their way from other ranks.
    virtual void take_imported(ListedTree& listed, Imports& imports, Phases& phases) = 0;
    // Adds the forces that were begun last to the results.
    virtual Work retrieve(ListedTree& listed, Imports& imports, std::span<const ResultComponent> results,
                          Phases& phases) = 0;

    // True if lists name the images of the local cells (ListedTree::set_images); if not, these images are to be
    // imported.
    virtual bool lists_images() const = 0;

    const DeviceUse* device_use() const { return evaluator_->device_use(); }

  protected:
    Evaluator& evaluator() { return *evaluator_; }

  private:
    std::unique_ptr<Evaluator> evaluator_;
};

// If the evaluator takes lists in parts, local particles act while imports travel; else all act at once.
std::unique_ptr<Evaluation> evaluation_by(std::unique_ptr<Evaluator> evaluator);

}  // namespace trellis
