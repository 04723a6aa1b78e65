// The systems of an ensemble on the devices that share them, in parts: each part is a batch of consecutive systems on
// one device. If a device fails, the others, or a spare if none is left, continue with its parts from their last saved
// states, by repeating the calls since then.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "trellis/devices/devices.hpp"
#include "trellis/devices/redundant/replay_log.hpp"
#include "trellis/devices/redundant/saving_time.hpp"
#include "trellis/devices/redundant/spare_devices.hpp"
#include "trellis/ensembles/ensemble_batch.hpp"
#include "trellis/ensembles/system_table.hpp"

namespace trellis {

class EnsembleScheduler {
  public:
    // Divides the systems by counts of pairs: a stretch for each device, and each stretch into parts_a_device parts.
    // devices: at least one. may_fail: true if calls are recorded, to be repeated. table must outlive this.
    EnsembleScheduler(const SystemTable& table, const EnsembleState& state, const Devices& devices, bool may_fail,
                      std::size_t parts_a_device = 1);

    std::size_t size() const { return systems_.size(); }  // number of systems
    const Devices& devices() const { return devices_; }   // those that have not failed
    // The systems in some earlier state.
    const std::vector<System>& systems() const { return systems_; }

    // Spares are taken in their order, each once, when no device is left; they also collect the notes on each device
    // that was replaced.
    void set_spares(std::shared_ptr<SpareDevices> spares) { spares_ = std::move(spares); }

    // The number of parts, which cover all systems; a part is divided when its device has failed.
    std::size_t parts() const { return parts_.size(); }
    SystemRange systems_of(std::size_t part) const { return parts_[part].batch->systems(); }

    // Queues a call of a part, which must have none under way: the changes, one for each system of the ensemble, then
    // the steps. Returns at once.
    void begin(std::size_t part, const StepsCall& call, std::span<const SystemChange> changes);
    // Calls back once the call is done, or its device has failed: see Queue::then.
    void then(std::size_t part, std::function<void()> call) { parts_[part].batch->then(std::move(call)); }
    // Waits for the call under way, and writes its energies to the elements of its systems. Returns false if its device
    // has failed: then the call is under way again, in this part for some of its systems, in new parts behind the last
    // for the others. Throws DeviceError if neither a device nor a spare is left.
    bool finish(std::size_t part, const CallEnergies& energies);
    // Waits for the calls of all parts, also of those that are repeated after a failure.
    void finish_all(const CallEnergies& energies);

    // Saves the states of parts, which must have no call under way: of all, if less than a hundredth of the time was
    // spent on saving, else of those whose recorded calls need more memory than the state.
    void save_when_due(SystemRange parts);
    // The states of all systems, without their changes. No call may be under way.
    EnsembleState fetch();

  private:
    struct Call {
        StepsCall steps;
        std::vector<SystemChange> changes;
    };
    struct Part {
        ReplayLog<BatchState, Call> log;
        std::unique_ptr<EnsembleBatch> batch;     // destroyed first, since its queue uses the memory of log
        std::optional<DeviceError> failure = {};  // thrown by the last begin
    };

    Part part_on(const std::shared_ptr<Device>& device, SystemRange systems, std::size_t first_slot,
                 BatchState state) const;
    bool outgrown(const Part& part) const;
    void save(std::span<const std::size_t> parts);
    void finish_save(Part& part);
    void take_off(std::size_t part, const DeviceError& error);
    Part repeated(const Part& lost, SystemRange systems);
    void do_without(const DeviceError& error, const std::shared_ptr<Device>& device);
    Devices spare() const;
    std::shared_ptr<Device> least_busy() const;

    const SystemTable& table_;
    std::vector<System> systems_;
    Devices devices_;
    bool may_fail_;
    std::shared_ptr<SpareDevices> spares_ = std::make_shared<SpareDevices>();
    std::deque<Part> parts_;
    SavingTime saving_time_;
};

}  // namespace trellis
