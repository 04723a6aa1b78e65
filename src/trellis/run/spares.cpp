#include "trellis/run/spares.hpp"

#include <set>

#include "trellis/ranks/comm/collective.hpp"

namespace trellis {

bool Spares::replace(const std::vector<FailedForce>& failed, const std::vector<std::shared_ptr<Force>>& all,
                     Comm& comm) {
    bool replaced = false, lacking = false;
    std::set<std::string> done;  // by name: a spare may have the name of the device that it replaces
    failed_.assign(failed.begin(), failed.end());
    while (!failed_.empty()) {
        const FailedForce one = failed_.front();
        failed_.pop_front();
        if (one.force->drop_list_device(one.device)) {
            devices_->note(one.message + ": the host makes its lists");
            replaced_.push_back(one.device);
            replaced = true;
            continue;
        }
        const Devices& devices = one.force->devices();
        if (devices.without(one.device) == devices) continue;  // a device of another rank
        if (!done.insert(one.device).second) continue;
        replaced_.push_back(one.device);
        replaced = true;
        if (!take_off(one, all)) lacking = true;
    }
    lacking = any_rank(comm, lacking);
    return any_rank(comm, replaced) && !lacking;
}

bool Spares::take_off(const FailedForce& failed, const std::vector<std::shared_ptr<Force>>& all) {
    std::optional<std::shared_ptr<Device>> spare;
    std::set<std::string> others;
    for (const auto& force : all) {
        const Devices rest = force->devices().without(failed.device);
        if (rest == force->devices()) continue;
        if (!rest.none()) {
            others.insert(rest.names());
            give(*force, rest);
            continue;
        }
        if (!spare) spare = next(failed.device);
        if (!spare) return false;
        give(*force, *spare);
    }
    for (const std::string& names : others) devices_->note(failed.message + ": its work goes to " + names);
    return true;
}

// A device that fails when a force begins to use it is added to failed_.
void Spares::give(Force& force, const Devices& devices) {
    try {
        force.use_devices(devices);
    } catch (const DeviceError& error) {
        failed_.push_back({&force, error.device(), error.what()});
    }
}

// The next available device, null for the threads of this process; empty if all are taken.
std::optional<std::shared_ptr<Device>> Spares::next(const std::string& failed) {
    const auto spare = devices_->in_place_of(failed);
    if (!spare) return std::nullopt;
    return spare->device;
}

}  // namespace trellis
