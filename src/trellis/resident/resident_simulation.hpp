// A simulation whose particles live on a device (method G4, which section 7.3 of the paper names as the way forward):
// keys, sort, tree, moments, lists, forces and integration run there; the host queues kernels and, when asked, brings
// the particles back.
//
// A step waits once, at its end, and learns then whether the lists were valid and found room. Else its forces are
// computed again; the last half kick, which is queued before that is known, looks at it on the device.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>

#include "trellis/devices/grid_kernel.hpp"
#include "trellis/forces/gravity/softening_of_each.hpp"
#include "trellis/forces/tree/tree_force.hpp"
#include "trellis/integrate/step_length.hpp"
#include "trellis/resident/resident_force.hpp"

namespace trellis {

// Members that Simulation has, too, have the same names and meanings here.
class ResidentSimulation {
  public:
    // Copies the particles to the device. softening, G, settings: as for gravity() on a device, where settings.send is
    // not particles; timestep > 0. Throws InputError for a value out of range, DeviceError if the device cannot hold
    // the particles.
    ResidentSimulation(const ParticleSet& particles, double softening, double G, const ForceSettings& settings,
                       double timestep, std::shared_ptr<Device> device);
    // The same with a softening of each particle, its field `softening`, which is set by types if softening has some.
    ResidentSimulation(ParticleSet& particles, const SofteningOfEach& softening, double G,
                       const ForceSettings& settings, double timestep, std::shared_ptr<Device> device);
    ~ResidentSimulation();
    ResidentSimulation(const ResidentSimulation&) = delete;
    ResidentSimulation& operator=(const ResidentSimulation&) = delete;

    // A field that acts beside gravity, added before the first step. Throws InputError if it has no kernel for devices.
    void add_external(std::shared_ptr<const ExternalField> field);

    // Sets the time of the particles, before the first step; 0 if it is not set.
    void set_time(double time) { time_ = time; }
    // Goes on from a checkpoint: particles as save has left them, with forces that belong to their time. Lists that are
    // reused are rebuilt from the positions and accelerations that they were made from, so that all that follows has
    // the bits of the unbroken run.
    void resume(double time, std::uint64_t step_count, const ParticleSet& particles);

    // One time step: half a kick, a drift, the forces, half a kick. Throws DeviceError if the device has failed, or
    // a force was not finite: what the device holds is lost then. end > time: the step does not go beyond it, and the
    // last of several meets it exactly, shorter than the others.
    void step(double end = unlimited);
    // True if the time has come to this end, up to a thousandth of a step.
    bool reached(double end) const { return trellis::reached(time_, timestep_, end); }
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

    double time() const { return time_; }
    std::uint64_t step_count() const { return step_count_; }
    double timestep() const { return timestep_; }
    const ListUse& list_use() const { return list_use_; }
    Work work() const { return {force_.pairs(), 0}; }  // of the last force
    Work total_work() const { return work(); }
    const ResidentForce& force() const { return force_; }

    // The device's times of the last step, by phase and in all. Waits for the step.
    const Phases& phases();
    const QueueTimes& device_times();

  private:
    static constexpr double unlimited = std::numeric_limits<double>::infinity();

    ResidentSimulation(const ParticleSet& particles, const ResidentGravity& gravity, const ForceSettings& settings,
                       double timestep, std::shared_ptr<Device> device);
    void update_forces(double time, const ResidentForce::Then& then);
    void construct(bool by_acceleration, double time, const ResidentForce::Then& then);
    void take_times();
    void reset_times();

    std::shared_ptr<Device> device_;
    std::unique_ptr<Queue> queue_;
    KernelPhases phases_of_kernels_;
    ResidentColumns columns_;
    ResidentForce force_;
    double timestep_;
    double time_ = 0;
    std::uint64_t step_count_ = 0;
    bool forces_known_ = false;
    ListUse list_use_;
    Phases phases_;            // of the last step, as far as the times were taken
    QueueTimes device_times_;  // of the last step, likewise
};

}  // namespace trellis
