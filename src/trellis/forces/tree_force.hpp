// A force from a tree: keys, sort, tree, moments, lists, interaction, each in turn.
#pragma once

#include <memory>
#include <vector>

#include "trellis/forces/force.hpp"
#include "trellis/forces/settings.hpp"
#include "trellis/lists/interaction_list.hpp"
#include "trellis/tree/sorted_columns.hpp"

namespace trellis {

class TreeForce : public Force {
  public:
    // interaction: a copy is kept. coupling: acceleration = coupling * strength / distance^2, for the relative criterion.
    // Throws InputError for settings that the interaction cannot follow.
    TreeForce(InteractionKernels kernels, std::shared_ptr<const void> interaction, double coupling,
              const ForceSettings& settings);

    Work add(ParticleSet& particles, std::span<const double> previous, Phases& phases) override;
    bool uses_previous_acceleration() const override { return choice_.criterion == Criterion::relative; }
    std::span<const FieldInfo> results() const override { return kernels_.results; }
    void reference(const ParticleSet& particles, std::uint32_t row, double* values) const override;

    const ForceChoice& choice() const { return choice_; }
    const Tree& tree() const { return tree_; }
    const InteractionLists& lists() const { return lists_; }

  private:
    void check(const ParticleSet& particles) const;
    void make_moments(Phases& phases);
    void make_lists(std::span<const double> previous, Phases& phases);
    Work evaluate(ParticleSet& particles, Phases& phases);
    void prepare(Scene& scene, const ForceKernels& kernels, std::byte* j_particles, std::byte* table);
    std::vector<ResultComponent> result_components(ParticleSet& particles) const;
    const ForceKernels& arithmetic() const;

    InteractionKernels kernels_;
    std::shared_ptr<const void> interaction_;
    double coupling_;
    Precision precision_;
    ForceChoice choice_;

    Tree tree_;
    SortedColumns columns_;
    Moments moments_;
    InteractionLists lists_;
    std::vector<double> tolerance_;      // of each sorted slot: see make_lists
    std::vector<double> units_;          // of each cell's expansions
    Workspace cell_rows_;                // see ForceKernels::describe_cells
    Workspace j_particles_;              // see ForceKernels::j_particles
    std::vector<Workspace> workspaces_;  // of each thread
};

// The tree force of an interaction with the given kernels; see make_kernels.
template <class I>
std::unique_ptr<TreeForce> tree_force_with(InteractionKernels kernels, const I& interaction,
                                           const ForceSettings& settings) {
    double coupling = 1;
    if constexpr (requires { interaction.coupling(); }) coupling = interaction.coupling();
    return std::make_unique<TreeForce>(std::move(kernels), std::make_shared<const I>(interaction), coupling, settings);
}

}  // namespace trellis
