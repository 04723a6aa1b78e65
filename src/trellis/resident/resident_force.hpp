// Gravity of particles that live on a device (method G4): keys, sort, tree, moments, pairs and external fields are
// computed there; lists as well at order 1, while those of higher orders come from the host (resident_expansions.hpp).
#pragma once

#include <functional>
#include <memory>
#include <utility>
#include <variant>
#include <vector>

#include "trellis/forces/external/external_field.hpp"
#include "trellis/forces/gravity/gravity_between_softenings.hpp"
#include "trellis/forces/tree/compiled_interaction.hpp"
#include "trellis/resident/columns.hpp"
#include "trellis/resident/resident_expansions.hpp"
#include "trellis/resident/resident_lists.hpp"

namespace trellis {

// Gravity with one softening for all particles, or with a softening of each.
using ResidentGravity = std::variant<Gravity, GravityBetweenSoftenings>;
inline bool softenings_differ(const ResidentGravity& gravity) { return gravity.index() == 1; }
InteractionKernels kernels_of(const ResidentGravity& gravity);

class ResidentForce {
  public:
    // columns: they are read, sorted into the order of the tree, and receive accelerations and potentials; with the
    // column of softenings if these differ.
    ResidentForce(const std::shared_ptr<Device>& device, Queue& queue, ResidentColumns& columns,
                  const ResidentGravity& gravity, const ForceSettings& settings);

    // Adds an external field. Throws InputError if it has no kernel for devices.
    void add(std::shared_ptr<const ExternalField> field);
    const std::vector<std::shared_ptr<const ExternalField>>& external_fields() const { return fields_; }

    // Queues work behind a force, before the host knows whether that force is valid: the work itself checks state()
    // (see Kick), and is queued again behind the valid force.
    using Then = std::function<void()>;

    // Construction step: a new tree, new lists and the force. Waits once, at its end, or, at orders above 1, twice, for
    // the number of cells and for the cells that lists are made of; if memory was too small, it is enlarged and all is
    // done again. by_acceleration: see ResidentLists. time: the time of the positions.
    void construct(bool by_acceleration, double time = 0, const Then& then = [] {});

    // Reusing step: the force with the present tree and lists. Waits once, at its end. Returns false if the lists are
    // no longer valid: then construct must follow.
    bool reuse(double time = 0, const Then& then = [] {});
    const DeviceMemory& state() const { return state_.memory(); }  // ResidentValues

    // Rebuilds the lists that were in use at a checkpoint, from particles that ResidentColumns::save has filled.
    // Afterwards position and acceleration must be uploaded again.
    void recall_lists(const ParticleSet& particles);
    bool has_lists() const { return have_lists_ || columns_.size() == 0; }

    // Waits for all queued work. Throws DeviceError if a force was not finite, or the device has failed.
    void check() { state_.read(); }

    const ForceChoice& choice() const { return choice_; }
    Work work() const { return expansions_ ? expansions_->work() : Work{.pairs = lists_.pairs()}; }
    const ResidentTree& tree() const { return tree_; }
    const ResidentLists& lists() const { return lists_; }                  // order 1
    const ResidentExpansions& expansions() const { return *expansions_; }  // orders above 1
    // The host's times since the last call.
    Phases take_host_times() { return std::exchange(on_host_, {}); }

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
    void add_fields(double time);

    std::shared_ptr<Device> device_;
    Queue& queue_;
    ResidentColumns& columns_;
    ResidentGravity gravity_;
    ForceChoice choice_;
    std::vector<std::shared_ptr<const ExternalField>> fields_;
    ResidentState state_;
    ResidentTree tree_;
    ResidentLists lists_;
    std::unique_ptr<ResidentExpansions> expansions_;  // null at order 1
    Phases on_host_;
    bool single_;
    bool have_lists_ = false;
    DeviceMemory rows_, sums_;
};

}  // namespace trellis
