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
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "trellis/devices/redundant/replay_log.hpp"
#include "trellis/devices/redundant/saving_time.hpp"
#include "trellis/devices/redundant/spare_devices.hpp"
#include "trellis/forces/gravity/softening_of_each.hpp"
#include "trellis/integrate/step_length.hpp"
#include "trellis/resident/resident_steps.hpp"

namespace trellis {

// Members with the names of Simulation's have the same meanings here.
class ResidentSimulation {
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
    ResidentSimulation(const ResidentSimulation&) = delete;
    ResidentSimulation& operator=(const ResidentSimulation&) = delete;

    // Adds an external field, before the first step. Throws InputError if it has no kernel for devices.
    void add_external(std::shared_ptr<const ExternalField> field);

    // Sets the time of the particles, before the first step; 0 if it is not set.
    void set_time(double time);
    // Continues from a checkpoint: particles as save leaves them, with forces that belong to `time`. Lists in use are
    // rebuilt from the positions and accelerations that they were made from, so that all that follows has the bits of
    // the unbroken run.
    void resume(double time, std::uint64_t step_count, const ParticleSet& particles);

    // One time step: half a kick, a drift, the forces, half a kick. Throws DeviceError if the device has failed, or a
    // force was not finite, and no spare is left: then the particles on the device are lost. end: later than time();
    // the step does not go beyond it, and the last of several ends there exactly, shorter than the others.
    void step(double end = unlimited);
    // True if the time has reached the end, up to a thousandth of a step.
    bool reached(double end) const { return trellis::reached(time(), timestep(), end); }
    // Steps until the end is reached. exact: the last step ends there; else it is as long as the others, and may go
    // beyond it.
    void run_until(double end, bool exact = true);
    void run_steps(std::uint64_t count);

    // Computes acceleration and potential at the present positions; tree and lists are rebuilt.
    void compute_forces();
    // Computes the forces, unless they are known.
    void ensure_forces();

    // Downloads position, velocity, mass, acceleration and potential, each to the row that the particle came from.
    // particles: of the same size.
    void download(ParticleSet& particles);
    // Downloads, and fills the further columns of a checkpoint (see columns.hpp), adding those that are missing.
    void save(ParticleSet& particles);

    // Values of the last saved state if no device is left.
    double time() const { return steps_ ? steps_->time() : log_->state().time; }
    std::uint64_t step_count() const { return steps_ ? steps_->step_count() : log_->state().step_count; }
    const ListUse& list_use() const { return steps_ ? steps_->list_use() : log_->state().list_use; }
    double timestep() const { return timestep_; }
    Work work() const { return {force().pairs(), 0}; }  // the last force's
    Work total_work() const { return work(); }
    const ResidentForce& force() const { return steps_->force(); }

    // One sentence for each device that was replaced, since the last call.
    std::vector<std::string> take_device_notes();

    // The device's times of the last step, by phase, and of its queue. Waits for the step.
    const Phases& phases();
    const QueueTimes& device_times();

  private:
    static constexpr double unlimited = std::numeric_limits<double>::infinity();
    using Call = std::function<void(ResidentSteps&)>;

    ResidentSimulation(const ParticleSet& particles, const ResidentGravity& gravity, const ForceSettings& settings,
                       double timestep, std::shared_ptr<Device> device, std::shared_ptr<SpareDevices> spares);
    std::unique_ptr<ResidentSteps> steps_of(const ParticleSet& particles) const;
    void advance(Call call);
    void carry_out(const Call& call);
    void repeat_since_saved();
    std::shared_ptr<Device> device_after(const DeviceError& failure);
    void save_when_due();

    const ResidentGravity gravity_;
    const ForceSettings settings_;
    const double timestep_;
    std::vector<std::shared_ptr<const ExternalField>> fields_;
    std::shared_ptr<Device> device_;
    std::unique_ptr<ResidentSteps> steps_;  // null after a failure, until the calls are repeated

    const std::shared_ptr<SpareDevices> spares_;
    std::optional<ReplayLog<SavedSteps, Call>> log_;  // empty without spares
    std::optional<DeviceError> failure_;              // set if no device is left
    SavingTime saving_time_;
};

}  // namespace trellis
