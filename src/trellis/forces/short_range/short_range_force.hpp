// A force between particles within a search radius of each other: tree, neighbour lists, interaction, each in turn.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "trellis/forces/force.hpp"
#include "trellis/forces/precision.hpp"
#include "trellis/forces/short_range/neighbour_evaluator.hpp"
#include "trellis/forces/short_range/neighbour_list_cache.hpp"

namespace trellis {

struct ShortRangeSettings {
    Lists lists = Lists::reuse;
    std::uint32_t reuse_steps = 64;  // most steps that lists serve, the one at which they are made included
    // Reuse: the skin by which lists go beyond the search radius, over that radius. Not given: 0.3 if the radius is a
    // cutoff, since lists are then pruned (NeighbourListCache::prune_to), else 0.15.
    std::optional<double> skin_ratio = {};
    std::uint32_t group_size = 0;  // most i-particles that share one search (FDPS: n_grp); 0: see Neighbourhood
    Precision precision = Precision::automatic;  // automatic: see NeighbourEvaluator
    Devices device = {};                         // where pairs are computed; none: on the threads of this process
    std::vector<ExcludedPair> exclude = {};      // pairs that are left out, or count by a factor
};

// Throws InputError for a setting out of its range.
void check(const ShortRangeSettings& settings);

// The ratio of the skin in use.
double skin_ratio_of(const ShortRangeSettings& settings, bool by_cutoff);

class ShortRangeForce : public Force {
  public:
    // interaction: a copy is kept. cutoff: the search radius of all particles, unless a field has it.
    ShortRangeForce(NeighbourKernels kernels, std::shared_ptr<const void> interaction, double cutoff,
                    const ShortRangeSettings& settings);

    void attach(ParticleSet& particles, std::size_t number) override;
    void dispatch(ParticleSet& particles, const ForceStep& step, Phases& phases) override;
    Work retrieve(ParticleSet& particles, Phases& phases) override;
    bool may_fail_after_writing() const override { return on_device_ != nullptr; }
    bool can_replace() const override { return true; }
    // True if it makes a quantity evolve: each particle's then follows the particle's own steps.
    bool computes_active_rows() const override { return !evolves_.empty(); }
    bool sums_over_pairs() const override;
    bool uses_previous_acceleration() const override { return false; }
    std::uint32_t reuse_steps() const override { return settings_.lists == Lists::reuse ? settings_.reuse_steps : 1; }
    std::vector<std::string> reads() const override;
    std::span<const FieldInfo> results() const override { return evaluator_.kernels().outcome; }
    // The cutoff; infinite if a field has the search radius.
    double range() const override;
    std::span<const Evolution> evolves() const override { return evolves_; }
    void reference(const ParticleSet& sources, const ParticleSet& targets, std::uint32_t row, std::int64_t self,
                   double time, double* values) const override;

    const Devices& devices() const override { return settings_.device; }
    void use_devices(const Devices& devices) override;

    const ListUse& list_use() const override { return neighbourhood_.use(); }
    const DeviceUse* device_use() const override { return on_device_ == nullptr ? nullptr : &on_device_->use(); }
    const Neighbourhood& neighbourhood() const { return neighbourhood_.lists(); }

    // Parts of the force for particles that stay on a device: its kernels and their parameters, settings, and lists
    // that are not made yet.
    const NeighbourKernels& kernels() const { return evaluator_.kernels(); }
    const void* interaction() const { return evaluator_.interaction(); }
    const ShortRangeSettings& settings() const { return settings_; }
    const Exclusions* exclusions() const { return exclusions_.get(); }
    Neighbourhood unmade_lists() const;
    // Adds the columns that the force writes, and those that it reads and can make.
    virtual void add_columns(ParticleSet& particles) const;
    // Throws InputError for values of particles that the force cannot have.
    virtual void check_values(const ParticleSet& /*particles*/) const {}

  private:
    double skin_ratio() const;
    Radii radii(const ParticleSet& particles) const;
    std::vector<Prediction> predictions(double time) const;
    const NeighbourSelection* select_active(const ForceStep& step);

    NeighbourEvaluator evaluator_;
    NeighbourEvaluator::Sums sums_ = NeighbourEvaluator::Sums::add;  // of the force dispatched last
    std::vector<Evolution> evolves_;
    double cutoff_;
    ShortRangeSettings settings_;
    std::shared_ptr<const Exclusions> exclusions_;  // null: none
    NeighbourListCache neighbourhood_;
    std::vector<std::uint8_t> wanted_;             // a flag for each row: 1 if it is active
    NeighbourSelection selection_;                 // these rows
    std::shared_ptr<DeviceNeighbours> on_device_;  // null without devices
};

// The force of an interaction with the given kernels; see make_neighbour_kernels.
template <class I>
std::unique_ptr<ShortRangeForce> short_range_force_with(NeighbourKernels kernels, const I& interaction,
                                                        const ShortRangeSettings& settings) {
    double cutoff = 0;
    if constexpr (requires { interaction.cutoff; }) cutoff = static_cast<double>(interaction.cutoff);
    return std::make_unique<ShortRangeForce>(std::move(kernels), std::make_shared<const I>(interaction), cutoff,
                                             settings);
}

}  // namespace trellis
