// Gravity of particles that live on a device (method G4): keys, sort, tree, moments, pairs and external fields are
// computed there; lists as well at order 1, while those of higher orders come from the host (resident_expansions.hpp).
#pragma once

#include <memory>
#include <variant>

#include "trellis/forces/gravity/gravity_between_softenings.hpp"
#include "trellis/forces/tree/settings.hpp"
#include "trellis/resident/resident_expansions.hpp"
#include "trellis/resident/resident_force.hpp"
#include "trellis/resident/resident_lists.hpp"

namespace trellis {

// Gravity with one softening for all particles, or with a softening of each.
using ResidentGravity = std::variant<Gravity, GravityBetweenSoftenings>;
inline bool softenings_differ(const ResidentGravity& gravity) { return gravity.index() == 1; }
InteractionKernels kernels_of(const ResidentGravity& gravity);

class ResidentTreeForce final : public ResidentForce {
  public:
    // columns: they are sorted into the order of the tree; with the column of softenings if these differ.
    ResidentTreeForce(const std::shared_ptr<Device>& device, Queue& queue, ResidentColumns& columns,
                      const ResidentGravity& gravity, const ForceSettings& settings);

    // With a new tree. Waits once, at its end, or, at orders above 1, twice, for the number of cells and for the cells
    // that lists are made of; if memory was too small, it is enlarged and all is done again. by_acceleration: see
    // ResidentLists.
    void construct(bool by_acceleration, double time, const Then& then) override;
    bool reuse(double time, const Then& then) override;
    void recall_lists(const ParticleSet& particles) override;
    bool has_lists() const override { return have_lists_ || columns_.size() == 0; }
    std::uint32_t reuse_steps() const override { return choice_.reuse_steps; }
    bool uses_accelerations() const override { return choice_.criterion == Criterion::relative; }

    const ForceChoice& choice() const { return choice_; }
    Work work() const override { return expansions_ ? expansions_->work() : Work{.pairs = lists_.pairs()}; }
    const ResidentTree& tree() const { return tree_; }
    const ResidentLists& lists() const { return lists_; }                  // order 1
    const ResidentExpansions& expansions() const { return *expansions_; }  // orders above 1

  private:
    void sort();
    void make_tree();
    void make_lists(bool by_acceleration);
    bool lists_made();
    void make_lists_on_host(bool by_acceleration);
    bool tree_made();
    void make_room_for_rows();
    void evaluate(double time);
    template <class R>
    void evaluate_gravity();
    template <class R>
    void sum_superparticles();
    template <class R, class I>
    void launch_pairs(const I& interaction);

    ResidentGravity gravity_;
    ForceChoice choice_;
    ResidentTree tree_;
    ResidentLists lists_;
    std::unique_ptr<ResidentExpansions> expansions_;  // null at order 1
    bool single_;
    bool have_lists_ = false;
    DeviceMemory rows_, sums_;
};

// Gravity in open space.
class ResidentGravityModel final : public ResidentModel {
  public:
    // Throws InputError for settings that particles which stay cannot have.
    ResidentGravityModel(const ResidentGravity& gravity, const ForceSettings& settings);

    void check(const ParticleSet& particles) const override;
    bool softenings_differ() const override { return trellis::softenings_differ(gravity_); }
    std::unique_ptr<ResidentForce> make(const std::shared_ptr<Device>& device, Queue& queue, ResidentColumns& columns,
                                        const ParticleSet& particles) const override;

  private:
    ResidentGravity gravity_;
    ForceSettings settings_;
};

}  // namespace trellis
