// A simulation whose particles live on a device (method G4, which section 7.3 of the paper names as the way forward):
// keys, sort, tree, moments, lists, forces and integration run there; the host queues kernels and, on request,
// downloads the particles.
//
// A step waits once, at its end, for the outcome: whether the lists were valid and memory sufficed. If not, its forces
// are computed again; the last half kick, which is queued before that is known, checks it on the device.
//
// If the device fails, a spare continues from the last saved state (saving_time.hpp) by repeating the calls since then,
// with the same bits.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "trellis/devices/redundant/replay_log.hpp"
#include "trellis/devices/redundant/saving_time.hpp"
#include "trellis/devices/redundant/spare_devices.hpp"
#include "trellis/forces/gravity/softening_of_each.hpp"
#include "trellis/forces/short_range/short_range_force.hpp"
#include "trellis/forces/tree/settings.hpp"
#include "trellis/integrate/stepper.hpp"
#include "trellis/resident/resident_steps.hpp"

namespace trellis {

// See Stepper for the members that are not described here.
class ResidentSimulation final : public Stepper {
  public:
    // Copies the particles to the device. softening, G, settings: as for gravity() on a device, but settings.send must
    // not be particles; timestep: above 0. Throws InputError for a value out of range, DeviceError if the device cannot
    // hold the particles. spares: devices that replace one that fails, each once, after the rest of a pair; null: a
    // failure ends the simulation, and no states are saved.
    ResidentSimulation(const ParticleSet& particles, double softening, double G, const ForceSettings& settings,
                       double timestep, std::shared_ptr<Device> device, std::shared_ptr<SpareDevices> spares = nullptr);
    // The same with a softening of each particle, its field `softening`, which is set by types if `softening` has
    // values for them.
    ResidentSimulation(ParticleSet& particles, const SofteningOfEach& softening, double G,
                       const ForceSettings& settings, double timestep, std::shared_ptr<Device> device,
                       std::shared_ptr<SpareDevices> spares = nullptr);
    // The same for a force of short range, such as lennard_jones(...): its settings but the device. The particles get
    // the columns that it writes. Throws InputError for a force that particles which stay cannot have.
    ResidentSimulation(ParticleSet& particles, const std::shared_ptr<const ShortRangeForce>& force, double timestep,
                       std::shared_ptr<Device> device, std::shared_ptr<SpareDevices> spares = nullptr);
    ResidentSimulation(const ResidentSimulation&) = delete;
    ResidentSimulation& operator=(const ResidentSimulation&) = delete;

    // Adds an external field, before the first step. Throws InputError if it has no kernel for devices, or the
    // particles are in a periodic box.
    void add_external(std::shared_ptr<const ExternalField> field);

    // Sets the time of the particles, before the first step; 0 if it is not set. Before resume: the time at which the
    // run was begun.
    void set_time(double time);
    // Continues from a checkpoint: particles as save leaves them, with forces that belong to `time`. Lists in use are
    // rebuilt from the positions and accelerations that they were made from, so that all that follows has the bits of
    // the unbroken run.
    void resume(double time, std::uint64_t step_count, const ParticleSet& particles);

    // Throws DeviceError if the device has failed, or a force was not finite, and no spare is left: then the particles
    // on the device are lost.
    void step(double end = unlimited) override;
    void compute_forces() override;
    void ensure_forces() override;
    void forces_changed() override;
    // Takes masses and softenings that the caller has changed; positions and velocities as well, if the particles have
    // not moved since they were last downloaded. Returns true if there were any, whose forces are then computed.
    bool take_changes(const ParticleSet& particles) override;

    // Downloads position, velocity, mass, acceleration, potential and further results of the force.
    void download(ParticleSet& particles) override;
    // Downloads, and fills the further columns of a checkpoint (see columns.hpp), adding those that are missing.
    void save(ParticleSet& particles) override;

    // Values of the last saved state if no device is left.
    double time() const override { return steps_ ? steps_->time() : log_->state().time; }
    std::uint64_t step_count() const override { return steps_ ? steps_->step_count() : log_->state().step_count; }
    const ListUse& list_use() const { return steps_ ? steps_->list_use() : log_->state().list_use; }
    double timestep() const override { return timestep_; }
    Work work() const override { return force().work(); }
    Work total_work() const override { return work(); }
    const ResidentForce& force() const { return steps_->force(); }

    std::vector<std::string> take_device_notes() override;

    // The device's times of the last step, by phase, and of its queue. Wait for the step.
    const Phases& phases() override;
    const QueueTimes& device_times();

  private:
    using Call = std::function<void(ResidentSteps&)>;

    ResidentSimulation(const ParticleSet& particles, std::unique_ptr<const ResidentModel> model, double timestep,
                       std::shared_ptr<Device> device, std::shared_ptr<SpareDevices> spares);
    std::unique_ptr<ResidentSteps> steps_of(const ParticleSet& particles) const;
    void advance(Call call);
    void carry_out(const Call& call);
    void repeat_since_saved();
    void note(const ParticleSet& particles);
    std::shared_ptr<Device> device_after(const DeviceError& failure);
    void save_when_due();

    const std::unique_ptr<const ResidentModel> model_;
    const Region region_;
    const double timestep_;
    double origin_ = 0;  // the time at which the run was begun
    std::vector<std::shared_ptr<const ExternalField>> fields_;
    std::shared_ptr<Device> device_;
    std::unique_ptr<ResidentSteps> steps_;  // null after a failure, until the calls are repeated

    const std::shared_ptr<SpareDevices> spares_;
    std::unique_ptr<ReplayLog<SavedSteps, Call>> log_;  // null without spares
    std::optional<DeviceError> failure_;                // set if no device is left
    SavingTime saving_time_;

    // The columns of the set of particles on the host, as checksums.
    struct Noted {
        std::string name;
        std::uint64_t checksum;
        bool moves;  // with each step
    };
    std::vector<Noted> noted_;
    bool on_host_ = true;  // the set has the present particles
};

}  // namespace trellis
