// A force that a tree force computes, which it owns.
#pragma once

#include <utility>

#include "trellis/forces/decorators/forwarding_force.hpp"
#include "trellis/forces/tree/tree_force.hpp"

namespace trellis {

// Base of gravity and of TreePM, which change parameters of the tree force before it is dispatched.
class ForceByTree : public ForwardingForce {
  public:
    const TreeForce& tree_force() const { return tree_force_; }

    // Properties of the tree force.
    const ForceChoice& choice() const { return tree_force_.choice(); }
    Sizes sizes() const { return tree_force_.sizes(); }
    const Tree& tree() const { return tree_force_.tree(); }
    const InteractionLists& lists() const { return tree_force_.lists(); }
    bool progress() { return tree_force_.progress(); }

  protected:
    // See TreeForce.
    template <class... Arguments>
    explicit ForceByTree(InteractionKernels kernels, Arguments&&... arguments)
        : tree_force_(std::move(kernels), std::forward<Arguments>(arguments)...) {}

    Force& inner() override { return tree_force_; }
    const Force& inner() const override { return tree_force_; }
    TreeForce& tree_force() { return tree_force_; }

  private:
    TreeForce tree_force_;
};

// The tree force that the force is, or owns; null for others.
inline const TreeForce* tree_force_in(const Force& force) {
    if (const auto* by_tree = dynamic_cast<const ForceByTree*>(&force)) return &by_tree->tree_force();
    return dynamic_cast<const TreeForce*>(&force);
}

}  // namespace trellis
