// Smoothed particle hydrodynamics: densities with their smoothing lengths, equation of state, viscosity, then
// accelerations and heating, all over the same neighbour lists.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "trellis/forces/force.hpp"
#include "trellis/forces/short_range/neighbour_list_cache.hpp"
#include "trellis/forces/sph/density_loop.hpp"
#include "trellis/forces/sph/kernels/fields.hpp"
#include "trellis/forces/sph/sph_settings.hpp"

namespace trellis {

// Reads position, velocity, mass and, of an ideal gas, internal_energy, which evolves. The search for smoothing_length
// begins at its last value, 0 for a new particle. Throws RunError, naming the limit, for a step that is longer than
// Courant's limit of any particle at its start.
class SphForce : public Force {
  public:
    explicit SphForce(const SphSettings& settings);

    void attach(ParticleSet& particles, std::size_t number) override;
    void dispatch(ParticleSet& particles, const ForceStep& step, Phases& phases) override;
    Work retrieve(ParticleSet& particles, Phases& phases) override;
    // Lists that a device makes a step ahead are those of all rows.
    bool computes_active_rows() const override { return settings_.neighbours_device.none(); }
    bool uses_previous_acceleration() const override { return false; }
    std::uint32_t reuse_steps() const override;
    std::vector<std::string> reads() const override;
    std::span<const FieldInfo> results() const override { return results_; }
    std::span<const Evolution> evolves() const override { return evolution_; }
    std::vector<std::string> checkpoint_columns() const override;
    void reference(const ParticleSet& sources, const ParticleSet& targets, std::uint32_t row, std::int64_t self,
                   double time, double* values) const override;

    const Devices& devices() const override { return settings_.search.device; }
    void use_devices(const Devices& devices) override;
    bool drop_list_device(std::string_view failed) override { return neighbourhood_.drop_list_device(failed); }
    // Courant's limit, and the limit by acceleration; of individual steps also that of signals on their way.
    void allowed_steps(const ParticleSet& particles, double time, const ActiveRows& rows, Comm* /*ranks*/,
                       std::span<double> steps) const override;

    const ListUse& list_use() const override { return neighbourhood_.use(); }
    // The work for the forces, and for lists made ahead at the step at which these begin to serve.
    const DeviceUse* device_use() const override { return use_ ? &*use_ : nullptr; }

  private:
    SphForce(const SphSettings& settings, const SphKernels& kernels);

    void check_time_step(const ParticleSet& particles, const ForceStep& step) const;
    void choose_active(const ParticleSet& particles, const ForceStep& step);
    const NeighbourSelection* selected() const { return active_.all() ? nullptr : &selection_; }
    void keep_divergence(const ParticleSet& particles);
    void add_forces(ParticleSet& particles, Phases& phases);
    void note_use();
    void ask_for_next_lists(ParticleSet& particles, const Ranks* ranks, const ForceStep& step, Phases& phases);
    void soften(ParticleSet& particles, const Ranks* ranks, Phases& phases);
    template <class Body>
    void for_rows_read(std::size_t rows, Body&& body) const;
    void weigh_forces(ParticleSet& particles) const;
    void apply(const IdealGas& gas, ParticleSet& particles, double since_kick) const;
    void apply(const IsothermalGas& gas, ParticleSet& particles, double since_kick) const;
    void switch_viscosity(ParticleSet& particles, const ForceStep& step) const;
    void limit_steps_by_signals(ParticleSet& particles) const;

    SphSettings settings_;
    SmoothingShape shape_;
    NeighbourListCache neighbourhood_;
    DensityLoop density_;
    NeighbourEvaluator velocity_gradient_, hydro_;
    std::shared_ptr<DeviceNeighbours> on_device_;                    // null without devices
    std::optional<NeighbourEvaluator> potential_slope_, softening_;  // with adaptive softening
    std::vector<FieldInfo> results_;
    std::vector<Evolution> evolution_;        // of the internal energy; empty for an isothermal gas
    ActiveRows active_;                       // in the step that was dispatched, until it is retrieved
    std::vector<std::uint8_t> wanted_;        // of each row: 1 if it is active, else 0; empty: all are
    NeighbourSelection selection_;            // the active rows; of no use if all are
    std::vector<double> earlier_divergence_;  // of each active row before the last forces
    bool individual_steps_ = false;           // in the step that was dispatched
    Work work_;                               // since dispatch
    std::optional<DeviceUse> use_;            // work for the last forces; empty without a device
};

}  // namespace trellis
