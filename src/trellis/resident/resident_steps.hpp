// The steps of particles that live on one device (see resident_simulation.hpp), and the state from which another device
// continues.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "trellis/devices/grid_kernel.hpp"
#include "trellis/forces/force.hpp"
#include "trellis/integrate/step_length.hpp"
#include "trellis/resident/resident_force.hpp"

namespace trellis {

// The state from which another device continues with the same bits.
struct SavedSteps {
    ParticleSet particles;  // as ResidentColumns::save leaves them
    double time = 0;
    std::uint64_t step_count = 0;
    ListUse list_use{};
    bool forces_known = false;  // at the time `time`
};

// Members with the names of ResidentSimulation's have the same meanings. After a DeviceError the particles on the
// device are lost.
class ResidentSteps {
  public:
    ResidentSteps(const ParticleSet& particles, const ResidentModel& model, double timestep,
                  std::shared_ptr<Device> device);
    ~ResidentSteps();
    ResidentSteps(const ResidentSteps&) = delete;
    ResidentSteps& operator=(const ResidentSteps&) = delete;

    void add_external(std::shared_ptr<const ExternalField> field);
    void set_time(double time) { origin_ = time_ = time; }
    void resume(double time, std::uint64_t step_count, const ParticleSet& particles);
    // Continues from a state of the particles that the constructor was given.
    void resume(const SavedSteps& saved);

    void step(double end);
    void compute_forces();
    void ensure_forces();
    void forces_changed() { forces_known_ = false; }
    // Takes these columns from a set of particles, which has the rows of the set that download writes to, and computes
    // the forces again unless velocities alone have changed.
    void take(const ParticleSet& particles, std::span<const std::string> columns);

    void download(ParticleSet& particles);
    void save(ParticleSet& particles);
    // Downloads the whole state.
    void save(SavedSteps& to);

    double time() const { return time_; }
    std::uint64_t step_count() const { return step_count_; }
    const ListUse& list_use() const { return list_use_; }
    const ResidentForce& force() const { return *force_; }

    const Phases& phases();
    const QueueTimes& device_times();

  private:
    void update_forces(double time, const ResidentForce::Then& then);
    void construct(bool by_acceleration, double time, const ResidentForce::Then& then);
    void take_times();
    void reset_times();

    std::shared_ptr<Device> device_;
    std::unique_ptr<Queue> queue_;
    KernelPhases phases_of_kernels_;
    ResidentColumns columns_;
    std::unique_ptr<ResidentForce> force_;
    std::vector<std::string> constants_;  // see ResidentModel
    double timestep_;
    double time_ = 0, origin_ = 0;
    std::uint64_t step_count_ = 0;
    bool forces_known_ = false;
    ListUse list_use_;
    Phases phases_;            // times of the last step, as far as take_times has fetched them
    QueueTimes device_times_;  // times of the last step, likewise
};

}  // namespace trellis
