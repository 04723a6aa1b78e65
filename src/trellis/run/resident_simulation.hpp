// A simulation whose particles live on a device (method G4, which section 7.3 of the paper names as the way forward): keys, sort, tree,
// moments, lists, forces and integration run there; the host queues kernels and, when asked, brings the particles back.
//
// A reusing step waits once, for whether the lists still hold; that is known before the device is done with the pairs, and the last
// half kick is queued only then. A construction step waits a few times more, for the numbers of cells, of groups, and of rows on lists.
#pragma once

#include <cstdint>
#include <memory>

#include "trellis/devices/grid_kernel.hpp"
#include "trellis/forces/resident/resident_force.hpp"
#include "trellis/forces/tree_force.hpp"

namespace trellis {

// What the device has spent, by phase and in all.
struct ResidentTimes {
    Phases phases;
    QueueTimes device;
};

class ResidentSimulation {
  public:
    // Copies the particles to the device. softening, g, settings: as for gravity() on a device, where settings.send is not
    // particles; timestep > 0; time: of the particles. Throws InputError for a value out of range, DeviceError if the device cannot hold the particles.
    ResidentSimulation(const ParticleSet& particles, double softening, double g, const ForceSettings& settings,
                       double timestep, std::shared_ptr<Device> device, double time = 0);
    ~ResidentSimulation();
    ResidentSimulation(const ResidentSimulation&) = delete;
    ResidentSimulation& operator=(const ResidentSimulation&) = delete;

    // Goes on from a checkpoint: particles as save has left them, with forces that belong to their time. With lists that are reused, those
    // in use are made again from the positions and accelerations that they were made from, so that all that follows has the bits of the
    // unbroken run.
    void resume(const ParticleSet& particles, std::uint64_t step_count);

    // One time step: half a kick, a drift, the forces, half a kick. Its last kernels may still be at work when it returns; those of
    // the step before are done.
    // Throws DeviceError if the device has failed, or an earlier force was not finite: what the device holds is lost then.
    void step();
    // Steps until time >= end, up to rounding.
    void run_until(double end);
    // The forces of the present positions, if they are not known already.
    void ensure_forces();

    // Brings position, velocity, mass, acceleration and potential back, each to the row in which the particle came. particles: as many as came.
    void download(ParticleSet& particles);
    // The same, and fills the columns that a checkpoint needs (see columns.hpp), which are added where they are missing.
    void save(ParticleSet& particles);

    double time() const { return time_; }
    std::uint64_t step_count() const { return step_count_; }
    double timestep() const { return timestep_; }
    const ListUse& list_use() const { return list_use_; }
    Work work() const { return {force_.pairs(), 0}; }  // of the last force
    const ResidentForce& force() const { return force_; }

    // Waits for all that was queued, and gives what the device has spent on it since the last call.
    ResidentTimes take_times();

  private:
    void update_forces();

    std::shared_ptr<Device> device_;
    std::unique_ptr<Queue> queue_;
    KernelPhases phases_of_kernels_;
    ResidentColumns columns_;
    ResidentForce force_;
    double timestep_;
    double time_;
    std::uint64_t step_count_ = 0;
    bool forces_known_ = false;
    Mark stepped_;  // the end of the last step
    ListUse list_use_;
};

}  // namespace trellis
