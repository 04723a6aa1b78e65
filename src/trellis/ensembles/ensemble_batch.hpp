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
#include "trellis/ensembles/staged_systems.hpp"
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

// The state of consecutive systems, with slots counted from the first of them.
struct BatchState {
    std::vector<System> systems;
    std::vector<double> columns;  // system_columns::changing columns, each with a value for every slot

    std::size_t slots() const { return columns.size() / system_columns::changing; }
};
// The state of the given systems among those of a state, of an ensemble or of a batch.
template <class State>
BatchState batch_state_of(const State& all, SystemRange systems);
// Writes the state of a batch to the elements of its systems, of which the first has this number, in the state of all.
void put_batch(const BatchState& batch, std::size_t first_system, EnsembleState& all);

class EnsembleBatch {
  public:
    // Copies these systems, in the given state, to the device. first_slot: of the first of them, among those of table.
    // table must outlive the batch. Throws DeviceError.
    EnsembleBatch(std::shared_ptr<Device> device, const SystemTable& table, SystemRange systems, std::size_t first_slot,
                  const BatchState& state);
    // Waits until the device no longer uses the memory that is about to be released.
    ~EnsembleBatch() { queue_->settle(); }
    EnsembleBatch(const EnsembleBatch&) = delete;
    EnsembleBatch& operator=(const EnsembleBatch&) = delete;

    SystemRange systems() const { return systems_; }
    std::size_t first_slot() const { return first_slot_; }
    const std::shared_ptr<Device>& device() const { return device_; }

    // Queues a call: the changes, one for each system of the batch, which must stay as they are until finish; then the
    // steps. Returns at once.
    void begin(const StepsCall& todo, std::span<const SystemChange> changes);
    // Calls back when the queued call is done: see Queue::then.
    void then(std::function<void()> call) { queue_->then(std::move(call)); }
    // Waits for all queued calls, and writes the energies of the last one to the elements of these systems among those
    // of all_systems systems. Throws DeviceError if the device has failed.
    void finish(const CallEnergies& energies, std::size_t all_systems);

    // begin_save queues the download of the state to `to`; finish_save waits for it. No call begins between the two,
    // and `to` must stay. before: an earlier state of the batch. They throw DeviceError.
    void begin_save(BatchState& to);
    void finish_save(BatchState& to, const BatchState& before);

  private:
    void launch_steps(const SystemsCall& call);
    void make_room(const SystemsCall& call);
    DeviceMemory& memory(SystemMemory which) { return memory_[static_cast<std::size_t>(which)]; }

    const SystemTable& table_;
    SystemRange systems_;
    std::size_t first_slot_, slots_;
    std::uint64_t largest_ = 0;            // slots of the largest system
    std::vector<SystemEnergies> sampled_;  // energies of the last call
    std::vector<float> potentials_;        // or potential energies alone
    std::vector<double> in_all_;           // potential energies at its end, in all Hamiltonians
    std::vector<double> volumes_;          // volumes at the samples
    std::shared_ptr<Device> device_;
    DeviceMemory memory_[system_memories];
    std::unique_ptr<StagedSystems> staged_;  // null where one kernel takes all steps
    std::unique_ptr<Queue> queue_;           // last: it uses the memory above, also if the constructor throws
};

}  // namespace trellis
