// Systems of an ensemble that stand side by side on one device: its memory, and the calls.
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

// What systems do in a call: so many steps, with energies after each `every` of them, all or the potential ones alone.
struct StepsCall {
    std::uint64_t steps, every;
    bool potentials = false;
};

// Where the energies of a call go, of all systems of an ensemble.
struct CallEnergies {
    std::span<SystemEnergies> sampled = {};  // systems, sample after sample
    std::span<float> potentials = {};        // or, if these alone are wanted: samples, system after system
    std::span<double> in_all = {};           // of each system in each Hamiltonian at the end, if SystemTable::in_all
    std::span<double> volumes = {};          // with those that are sampled, if SystemTable::volumes
};

class EnsembleBatch {
  public:
    // Brings these systems of a state to the device. table outlives the share. Throws DeviceError.
    EnsembleBatch(std::shared_ptr<Device> device, const SystemTable& table, const EnsembleState& state,
                  SystemRange systems);
    // Memory is released only when the device is done with it.
    ~EnsembleBatch() { queue_->settle(); }
    EnsembleBatch(const EnsembleBatch&) = delete;
    EnsembleBatch& operator=(const EnsembleBatch&) = delete;

    SystemRange systems() const { return systems_; }
    const std::shared_ptr<Device>& device() const { return device_; }

    // Queues a call: these changes, one for each system of the share, which stay as they are until finish; then the
    // steps. Returns at once.
    void begin(const StepsCall& todo, std::span<const SystemChange> changes);
    // Calls back when what was begun is done: see Queue::then.
    void then(std::function<void()> call) { queue_->then(std::move(call)); }
    // Waits for all calls that were begun, and writes the energies of the last to the places of these systems among
    // those of all. Throws DeviceError if the device has failed.
    void finish(const CallEnergies& energies, std::size_t all_systems);

    // Queues the download of the state; the second waits for it, and writes it to its place in that of all. No call
    // begins between the two. They throw DeviceError.
    void begin_save();
    void finish_save(EnsembleState& state);

  private:
    void make_room(const SystemsCall& call);
    DeviceMemory& memory(SystemMemory which) { return memory_[static_cast<std::size_t>(which)]; }

    const SystemTable& table_;
    SystemRange systems_;
    std::size_t first_slot_, slots_;
    std::uint64_t largest_ = 0;            // slots of a system
    std::vector<System> states_;           // as the device has them: slots counted from the share's first
    std::vector<double> columns_;          // system_columns::changing of them, as they were saved
    std::vector<SystemEnergies> sampled_;  // by the last call
    std::vector<float> potentials_;        // or these alone
    std::vector<double> in_all_;           // at its end
    std::vector<double> volumes_;          // with the energies that were sampled
    std::shared_ptr<Device> device_;
    DeviceMemory memory_[system_memories];
    std::unique_ptr<Queue> queue_;  // last: it works on what is above, also if the constructor throws
};

}  // namespace trellis
