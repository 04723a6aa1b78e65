// The force on particles that live on a device, as the steps know it, and the model that it is made of on each device.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "trellis/base/phase.hpp"
#include "trellis/devices/grid_kernel.hpp"
#include "trellis/forces/external/external_field.hpp"
#include "trellis/forces/work.hpp"
#include "trellis/resident/columns.hpp"
#include "trellis/resident/kernels/state.hpp"

namespace trellis {

class ResidentForce {
  public:
    // columns: they are read, reordered when lists are made, and receive the results of the force.
    ResidentForce(std::shared_ptr<Device> device, Queue& queue, ResidentColumns& columns);
    virtual ~ResidentForce() = default;
    ResidentForce(const ResidentForce&) = delete;
    ResidentForce& operator=(const ResidentForce&) = delete;

    // Adds an external field. Throws InputError if it has no kernel for devices.
    void add(std::shared_ptr<const ExternalField> field);
    const std::vector<std::shared_ptr<const ExternalField>>& external_fields() const { return fields_; }

    // Queues work behind a force, before the host knows whether that force is valid: the work itself checks state()
    // (see Kick), and is queued again behind the valid force.
    using Then = std::function<void()>;
    // Construction step: new lists and the force, also for particles without known accelerations if `by_acceleration`
    // is false. time: the time of the positions.
    virtual void construct(bool by_acceleration, double time, const Then& then) = 0;
    // Reusing step: the force with the present lists. Waits once, at its end. Returns false if the lists are no longer
    // valid: then construct must follow.
    virtual bool reuse(double time, const Then& then) = 0;
    const DeviceMemory& state() const { return state_.memory(); }  // ResidentValues

    // Rebuilds the lists that were in use at a checkpoint, from particles that ResidentColumns::save has filled.
    // Afterwards position and acceleration must be uploaded again.
    virtual void recall_lists(const ParticleSet& particles) = 0;
    virtual bool has_lists() const = 0;
    // The largest number of steps that lists serve.
    virtual std::uint32_t reuse_steps() const = 0;
    // True if lists are made by the last accelerations, which must be known.
    virtual bool uses_accelerations() const { return false; }

    // Takes the values that steps do not change; before recall_lists or construct.
    virtual void take_constants(const ParticleSet& /*particles*/) {}
    // Writes what the host knows of the present particles.
    virtual void write_known(ParticleSet& /*particles*/) const {}

    // Waits for all queued work. Throws DeviceError if a force was not finite, or the device has failed.
    void check() { state_.read(); }

    virtual Work work() const = 0;
    // The host's times since the last call.
    Phases take_host_times() { return std::exchange(on_host_, {}); }
    // The device's times since the last call, of work that is not in the queue of the steps.
    QueueTimes take_other_times() { return std::exchange(other_times_, {}); }

  protected:
    void add_fields(double time);

    const std::shared_ptr<Device> device_;
    Queue& queue_;
    ResidentColumns& columns_;
    ResidentState state_;
    Phases on_host_;
    QueueTimes other_times_;

  private:
    std::vector<std::shared_ptr<const ExternalField>> fields_;
};

// The model of what moves particles that stay: the force is made of it on one device after another.
class ResidentModel {
  public:
    virtual ~ResidentModel() = default;

    // Throws InputError for particles that the force cannot have.
    virtual void check(const ParticleSet& particles) const = 0;
    // The names of further columns that the force reads, and that steps do not change.
    virtual std::vector<std::string> constants() const { return {}; }
    virtual bool softenings_differ() const { return false; }
    virtual void add_phases(KernelPhases& /*phases*/) const {}
    virtual std::unique_ptr<ResidentForce> make(const std::shared_ptr<Device>& device, Queue& queue,
                                                ResidentColumns& columns, const ParticleSet& particles) const = 0;
};

}  // namespace trellis
