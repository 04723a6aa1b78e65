// A simulation whose particles live on a device (method G4, which section 7.3 of the paper names as the way forward):
// keys, sort, tree, moments, lists, forces and integration run there; the host queues kernels and, when asked, brings
// the particles back.
//
// A step waits once, at its end, and learns then whether the lists were valid and found room. Else its forces are
// computed again; the last half kick, which is queued before that is known, looks at it on the device.
//
// If the device fails, a spare goes on: from the state that was saved here last (saving_time.hpp), by repeating what
// was done since then, with the same bits.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "trellis/devices/redundant/saving_time.hpp"
#include "trellis/devices/redundant/spare_devices.hpp"
#include "trellis/forces/gravity/softening_of_each.hpp"
#include "trellis/integrate/step_length.hpp"
#include "trellis/resident/resident_steps.hpp"

namespace trellis {

// Members that Simulation has, too, have the same names and meanings here.
class ResidentSimulation {
  public:
    // Copies the particles to the device. softening, G, settings: as for gravity() on a device, where settings.send is
    // not particles; timestep > 0. Throws InputError for a value out of range, DeviceError if the device cannot hold
    // the particles. spares: devices that take the place of one that fails, each once, after those that go on in the
    // place of a pair; null: a failure ends the simulation, and no states are saved.
    ResidentSimulation(const ParticleSet& particles, double softening, double G, const ForceSettings& settings,
                       double timestep, std::shared_ptr<Device> device, std::shared_ptr<SpareDevices> spares = nullptr);
    // The same with a softening of each particle, its field `softening`, which is set by types if softening has some.
    ResidentSimulation(ParticleSet& particles, const SofteningOfEach& softening, double G,
                       const ForceSettings& settings, double timestep, std::shared_ptr<Device> device,
                       std::shared_ptr<SpareDevices> spares = nullptr);
    ResidentSimulation(const ResidentSimulation&) = delete;
    ResidentSimulation& operator=(const ResidentSimulation&) = delete;

    // A field that acts beside gravity, added before the first step. Throws InputError if it has no kernel for devices.
    void add_external(std::shared_ptr<const ExternalField> field);

    // Sets the time of the particles, before the first step; 0 if it is not set.
    void set_time(double time);
    // Goes on from a checkpoint: particles as save has left them, with forces that belong to their time. Lists that are
    // reused are rebuilt from the positions and accelerations that they were made from, so that all that follows has
    // the bits of the unbroken run.
    void resume(double time, std::uint64_t step_count, const ParticleSet& particles);

    // One time step: half a kick, a drift, the forces, half a kick. Throws DeviceError if the device has failed, or
    // a force was not finite, and no spare is left: what the device holds is lost then. end > time: the step does not
    // go beyond it, and the last of several meets it exactly, shorter than the others.
    void step(double end = unlimited);
    // True if the time has come to this end, up to a thousandth of a step.
    bool reached(double end) const { return trellis::reached(time(), timestep(), end); }
    // Steps until the end is reached. exact: it is met; else the last step is as long as the others, and may go beyond
    // it.
    void run_until(double end, bool exact = true);
    void run_steps(std::uint64_t count);

    // Makes acceleration and potential those of the present positions; tree and lists are rebuilt.
    void compute_forces();
    // Computes the forces, if they are not known already.
    void ensure_forces();

    // Brings position, velocity, mass, acceleration and potential back, each to the row in which the particle came.
    // particles: as many as came.
    void download(ParticleSet& particles);
    // Downloads, and fills the columns that a checkpoint needs (see columns.hpp), which are added where they are
    // missing.
    void save(ParticleSet& particles);

    // Of the last saved state, once no device is left.
    double time() const { return steps_ ? steps_->time() : saved_->time; }
    std::uint64_t step_count() const { return steps_ ? steps_->step_count() : saved_->step_count; }
    const ListUse& list_use() const { return steps_ ? steps_->list_use() : saved_->list_use; }
    double timestep() const { return timestep_; }
    Work work() const { return {force().pairs(), 0}; }  // of the last force
    Work total_work() const { return work(); }
    const ResidentForce& force() const { return steps_->force(); }

    // One sentence for each device that was replaced, since the last call.
    std::vector<std::string> take_device_notes();

    // The device's times of the last step, by phase and in all. Waits for the step.
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
    std::unique_ptr<ResidentSteps> steps_;  // null: to be repeated, from the saved state

    const std::shared_ptr<SpareDevices> spares_;
    std::unique_ptr<SavedSteps> saved_, spare_;  // the last state, and room for the next; null without spares
    std::vector<Call> since_saved_;
    std::optional<DeviceError> failure_;  // after which no device was left
    SavingTime saving_time_;
};

}  // namespace trellis
