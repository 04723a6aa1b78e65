// The systems of an ensemble on the devices that share them, in parts: the systems of a part stand side by side on one
// device. If a device fails, others take over its parts, a spare if none is left: from their last states that were
// saved here, by repeating the calls since then.
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
#include "trellis/devices/redundant/saving_time.hpp"
#include "trellis/devices/redundant/spare_devices.hpp"
#include "trellis/ensembles/ensemble_batch.hpp"
#include "trellis/ensembles/system_table.hpp"

namespace trellis {

class EnsembleScheduler {
  public:
    // Divides the systems by counts of pairs: a stretch for each device, and each stretch into so many parts. devices:
    // at least one. may_fail: whether calls are kept, to be repeated. table outlives this.
    EnsembleScheduler(const SystemTable& table, EnsembleState state, const Devices& devices, bool may_fail,
                      std::size_t parts_a_device = 1);

    std::size_t size() const { return saved_.systems.size(); }  // systems
    const Devices& devices() const { return devices_; }         // that have not failed
    const EnsembleState& saved() const { return saved_; }       // some state of each system

    // They are taken in their order, each once, when no device is left, and keep a note of each device that others have
    // taken over from.
    void set_spares(std::shared_ptr<SpareDevices> spares) { spares_ = std::move(spares); }

    // The parts, which cover all systems; a part is divided when its device has failed.
    std::size_t parts() const { return parts_.size(); }
    SystemRange systems_of(std::size_t part) const { return parts_[part].share->systems(); }

    // Queues a call of a part, for which none is under way: changes, one for each system of the ensemble; then steps.
    // Returns at once.
    void begin(std::size_t part, const StepsCall& call, std::span<const SystemChange> changes);
    // Calls back once it is done, or its device has failed: see Queue::then.
    void then(std::size_t part, std::function<void()> call) { parts_[part].share->then(std::move(call)); }
    // Waits for the call under way, and writes its energies to their places among those of all systems. Returns false
    // if its device has failed: then the call is under way again, of some of its systems by this part, of the others by
    // new ones behind the last. Throws DeviceError if no device is left, nor a spare.
    bool finish(std::size_t part, const CallEnergies& energies);
    // Waits for all parts, of which a call is under way each, and for those of lost devices again.
    void finish_all(const CallEnergies& energies);

    // Saves the states of parts, none of them under way, if a hundredth of the time suffices for that, or where the
    // calls that are kept have outgrown the state.
    void save_when_due(SystemRange parts);
    // The states of all systems, but for their changes. No call is under way.
    EnsembleState fetch();

  private:
    struct Call {
        StepsCall steps;
        std::vector<SystemChange> changes;
    };
    struct Part {
        std::unique_ptr<EnsembleBatch> share;
        std::deque<Call> since_saved;
        std::optional<DeviceError> failure;  // of the last begin
    };

    bool outgrown(const Part& part) const;
    void save(std::span<const std::size_t> parts);
    void take_off(std::size_t part, const DeviceError& error);
    Part repeated(const Part& lost, SystemRange systems);
    void do_without(const DeviceError& error, const std::shared_ptr<Device>& device);
    Devices spare() const;
    std::shared_ptr<Device> least_busy() const;

    const SystemTable& table_;
    EnsembleState saved_;  // of each part, as it was saved last; its changes mean nothing
    Devices devices_;
    bool may_fail_;
    std::shared_ptr<SpareDevices> spares_ = std::make_shared<SpareDevices>();
    std::deque<Part> parts_;
    SavingTime saving_time_;
};

}  // namespace trellis
