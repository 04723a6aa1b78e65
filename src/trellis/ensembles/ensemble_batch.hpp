// Consecutive systems of an ensemble on one device: their memory there, and the calls.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "trellis/devices/device.hpp"
#include "trellis/ensembles/system_table.hpp"

namespace trellis {

// The systems [begin, end) of an ensemble.
struct SystemRange {
    std::size_t begin = 0, end = 0;
    std::size_t count() const { return end - begin; }
};

// A call: `steps` steps of each system, with energies after each `every` of them, all energies or the potential ones
// alone.
struct StepsCall {
    std::uint64_t steps, every;
    bool potentials = false;
};

// Arrays for the energies of a call, of all systems of an ensemble.
struct CallEnergies {
    std::span<SystemEnergies> sampled = {};  // systems, sample after sample
    std::span<float> potentials = {};  // or, if potential energies alone are requested: samples, system after system
    std::span<double> in_all = {};     // for each system in each Hamiltonian at the end, if SystemTable::in_all
    std::span<double> volumes = {};    // as `sampled`, if SystemTable::volumes
};

class EnsembleBatch {
  public:
    // Copies these systems of a state to the device. table must outlive the batch. Throws DeviceError.
    EnsembleBatch(std::shared_ptr<Device> device, const SystemTable& table, const EnsembleState& state,
                  SystemRange systems);
    // Waits until the device no longer uses the memory that is about to be released.
    ~EnsembleBatch() { queue_->settle(); }
    EnsembleBatch(const EnsembleBatch&) = delete;
    EnsembleBatch& operator=(const EnsembleBatch&) = delete;

    SystemRange systems() const { return systems_; }
    const std::shared_ptr<Device>& device() const { return device_; }

    // Queues a call: the changes, one for each system of the batch, which must stay as they are until finish; then the
    // steps. Returns at once.
    void begin(const StepsCall& todo, std::span<const SystemChange> changes);
    // Calls back when the queued call is done: see Queue::then.
    void then(std::function<void()> call) { queue_->then(std::move(call)); }
    // Waits for all queued calls, and writes the energies of the last one to the elements of these systems among those
    // of all_systems systems. Throws DeviceError if the device has failed.
    void finish(const CallEnergies& energies, std::size_t all_systems);

    // begin_save queues the download of the state; finish_save waits for it, and writes it to the elements of these
    // systems in the state of all. No call begins between the two. They throw DeviceError.
    void begin_save();
    void finish_save(EnsembleState& state);

  private:
    void make_room(const SystemsCall& call);
    DeviceMemory& memory(SystemMemory which) { return memory_[static_cast<std::size_t>(which)]; }

    const SystemTable& table_;
    SystemRange systems_;
    std::size_t first_slot_, slots_;
    std::uint64_t largest_ = 0;            // slots of the largest system
    std::vector<System> states_;           // as the device has them: slots are counted from the first of the batch
    std::vector<double> columns_;          // system_columns::changing columns, as last saved
    std::vector<SystemEnergies> sampled_;  // energies of the last call
    std::vector<float> potentials_;        // or potential energies alone
    std::vector<double> in_all_;           // potential energies at its end, in all Hamiltonians
    std::vector<double> volumes_;          // volumes at the samples
    std::shared_ptr<Device> device_;
    DeviceMemory memory_[system_memories];
    std::unique_ptr<Queue> queue_;  // last: it uses the memory above, also if the constructor throws
};

}  // namespace trellis
