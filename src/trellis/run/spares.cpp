#include "trellis/run/spares.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "trellis/devices/remote/open.hpp"
#include "trellis/ranks/comm/collective.hpp"

namespace trellis {

void Spares::set(std::vector<std::string> names, std::size_t memory, std::chrono::milliseconds grace) {
    names_ = std::move(names);
    memory_ = memory;
    grace_ = grace;
}

bool Spares::replace(const std::vector<FailedForce>& failed, const std::vector<std::shared_ptr<Force>>& all,
                     Comm& comm) {
    int replaced = 0, enough = 1;
    for (const FailedForce& one : failed) {
        const Devices& devices = one.force->devices();
        if (devices.without(one.device) == devices) continue;  // replaced already, or of another rank
        replaced = 1;
        if (!take_off(one, all)) enough = 0;
    }
    const auto least = [](int a, int b) { return std::min(a, b); };
    enough = all_reduce(comm, enough, least);
    const int none_replaced = all_reduce(comm, 1 - replaced, least);
    return enough == 1 && none_replaced == 0;
}

bool Spares::take_off(const FailedForce& failed, const std::vector<std::shared_ptr<Force>>& all) {
    std::optional<std::shared_ptr<Device>> spare;
    std::string others;
    for (const auto& force : all) {
        const Devices rest = force->devices().without(failed.device);
        if (rest == force->devices()) continue;
        if (!rest.none()) {
            others = rest.names();
            force->use_devices(rest);
            continue;
        }
        if (!spare) spare = next(failed.device);
        if (!spare) return false;
        force->use_devices(*spare);
    }
    if (!others.empty()) notes_.push_back(failed.message + ": its work goes to " + others);
    return true;
}

// The next device that can be had, null for the threads of this process; none if all are taken.
std::optional<std::shared_ptr<Device>> Spares::next(const std::string& failed) {
    while (!names_.empty()) {
        const std::string name = names_.front();
        names_.erase(names_.begin());
        try {
            std::shared_ptr<Device> spare = name == "host" ? nullptr : open_device(name, memory_, grace_);
            notes_.push_back(
                std::string("device ").append(failed).append(" has failed: ").append(name).append(" takes its place"));
            return spare;
        } catch (const std::runtime_error& error) {
            notes_.push_back(
                std::string("the spare device ").append(name).append(" cannot be had: ").append(error.what()));
        }
    }
    return std::nullopt;
}

std::vector<std::string> Spares::take_notes() { return std::exchange(notes_, {}); }

}  // namespace trellis
