// A force from a tree: keys, sort, tree, moments, lists, interaction, each in turn.
#pragma once

#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "trellis/devices/devices.hpp"
#include "trellis/forces/force.hpp"
#include "trellis/forces/list_checkpoint.hpp"
#include "trellis/forces/tree/compiled_interaction.hpp"
#include "trellis/forces/tree/evaluation.hpp"
#include "trellis/forces/tree/imports.hpp"
#include "trellis/forces/tree/periodic_complement.hpp"
#include "trellis/forces/tree/precision_scale.hpp"
#include "trellis/forces/tree/settings.hpp"
#include "trellis/forces/tree/size_search.hpp"
#include "trellis/forces/tree/tolerances.hpp"
#include "trellis/lists/walk/listed_tree.hpp"

namespace trellis {

class TreeForce : public Force {
  public:
    // interaction: a copy is kept. coupling: acceleration = coupling * strength / distance^2, for the relative
    // criterion. devices: where the force kernels run; none: on this process's own threads. complement: what images
    // beyond the lists add in a periodic box; null: those of its potential, or, without one, periodic boxes are
    // refused. Throws InputError for settings that the interaction, or a device, cannot follow.
    TreeForce(InteractionKernels kernels, std::shared_ptr<const void> interaction, double coupling,
              const ForceSettings& settings, Devices devices, std::shared_ptr<PeriodicComplement> complement = nullptr);

    void attach(ParticleSet& particles, std::size_t number) override;
    void dispatch(ParticleSet& particles, const ForceStep& step, Phases& phases) override;
    Work retrieve(ParticleSet& particles, Phases& phases) override;
    // Between dispatch and retrieve, while something else is computed: moves messages from other ranks along. True if
    // all have arrived.
    bool progress() { return imports_.progress(); }
    bool may_fail_after_writing() const override { return !devices_.none(); }
    bool sums_over_pairs() const override;
    bool uses_previous_acceleration() const override { return choice_.criterion == Criterion::relative; }
    bool counts_for_accuracy() const override { return true; }
    std::uint32_t reuse_steps() const override { return choice_.reuse_steps; }
    std::vector<std::string> reads() const override { return names_of(interaction_.kernels.fields); }
    std::span<const FieldInfo> results() const override { return interaction_.kernels.results; }
    void prepare_reference(const ParticleSet& particles, double time, Comm& comm) override;
    void reference(const ParticleSet& sources, const ParticleSet& targets, std::uint32_t row, std::int64_t self,
                   double time, double* values) const override;

    const ForceChoice& choice() const { return choice_; }
    // The sizes in use: given, chosen or found.
    Sizes sizes() const { return {choice_.group_size, choice_.leaf_size}; }
    const ListUse& list_use() const override { return list_use_; }
    // The work of the devices; null without any.
    const DeviceUse* device_use() const override { return evaluation_->device_use(); }
    const Devices& devices() const override { return devices_; }
    void use_devices(const Devices& devices) override;
    const Tree& tree() const { return listed_.tree(); }
    const InteractionLists& lists() const { return listed_.lists(); }
    const InteractionKernels& kernels() const { return interaction_.kernels; }

    // Continues with other parameters of the interaction, which is 0 from the cutoff on; lists are rebuilt.
    void set_interaction(std::shared_ptr<const void> interaction, double cutoff);

  private:
    bool keeps_lists() const { return choice_.reuse_steps > 1; }
    ListedTree make_listed(Sizes sizes) const;
    std::unique_ptr<Evaluation> make_evaluation() const;
    std::unique_ptr<Evaluation> host_evaluation() const;
    Evaluation& evaluation() { return few_ ? *of_few_ : *evaluation_; }
    void begin_images(ParticleSet& particles, Phases& phases);
    void begin_forces(ParticleSet& particles, const ForceStep& step, Phases& phases);
    void set_images();
    bool has_complement(const ParticleSet& particles) const { return particles.region().periodic() && !level_; }
    void tune(const ParticleSet& particles, std::span<const double> tolerance);
    double seconds_of_step(const ParticleSet& particles, std::span<const double> tolerance, Sizes sizes) const;
    std::string tuning_key(const ParticleSet& particles) const;
    void construct(ParticleSet& particles, std::span<const double> previous, Phases& phases);
    bool within_margin(const ParticleSet& particles);
    bool has_lists_for(const ParticleSet& particles) const;
    bool reuse(const ParticleSet& particles, Phases& phases);
    bool recall(const ParticleSet& particles, Phases& phases);
    void make_lists(const ParticleSet& particles, std::string_view positions, std::span<const double> tolerance,
                    Phases& phases);
    void construct_on_ranks(std::span<const double> errors, Phases& phases);
    void take_scale();
    // This rank, or the ranks of the present step.
    Comm& comm() const { return ranks_ == nullptr ? *alone_.comm : *ranks_->comm; }

    CompiledInteraction interaction_;
    ForceSettings settings_;
    ForceChoice choice_;
    Tolerances tolerances_;
    ListedTree listed_;
    std::vector<Prediction> predictions_;  // of the present step: see ForceStep::since_kick
    Devices devices_;
    std::unique_ptr<Evaluation> evaluation_;  // by the devices, or by the host without any
    std::unique_ptr<Evaluation> of_few_;      // by the host, of levels too small for the devices; null: none so far
    bool few_ = false;                        // the particles of the present step are such a level
    Imports imports_;
    std::shared_ptr<PeriodicComplement> complement_;
    Region region_;                                // at the last step; lists are for its images
    std::vector<Vec3<double>> images_{{0, 0, 0}};  // their shifts: see nearest_images
    bool level_ = false;                           // see ForceStep, of the present step
    const Ranks* ranks_ = nullptr;                 // the ranks of the present step; null: a rank alone
    PrecisionScale scale_;
    Ranks alone_{serial_comm(), {}};  // this rank, if it imports the images of its own particles
    ListCheckpoint kept_;
    ListUse list_use_;
    std::vector<ResultComponent> components_;  // components of the results
    std::exception_ptr failure_;  // of a device in dispatch, which retrieve throws: the complement is exchanged before
    bool to_be_tuned_;
    std::optional<std::uint64_t> lists_for_;  // the arrangement of rows that lists were made for; empty: no lists
};

// The tree force of an interaction with the given kernels; see make_kernels.
template <class I>
std::unique_ptr<TreeForce> tree_force_with(InteractionKernels kernels, const I& interaction,
                                           const ForceSettings& settings, Devices devices) {
    double coupling = 1;
    if constexpr (requires { interaction.coupling(); }) coupling = interaction.coupling();
    return std::make_unique<TreeForce>(std::move(kernels), std::make_shared<const I>(interaction), coupling, settings,
                                       std::move(devices));
}

}  // namespace trellis
