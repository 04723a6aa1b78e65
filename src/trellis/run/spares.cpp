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

bool Spares::replace(const std::vector<Force*>& failed, const std::vector<std::shared_ptr<Force>>& all, Comm& comm) {
    const int replaced = replace_here(failed, all) ? 1 : 0;
    return all_reduce(comm, replaced, [](int a, int b) { return std::min(a, b); }) == 1;
}

bool Spares::replace_here(const std::vector<Force*>& failed, const std::vector<std::shared_ptr<Force>>& all) {
    std::vector<const Device*> lost;
    for (const Force* force : failed)
        if (std::ranges::find(lost, force->device()) == lost.end()) lost.push_back(force->device());
    return std::ranges::all_of(lost, [&](const Device* device) {
        const auto spare = device == nullptr ? std::nullopt : next(device->name());
        if (!spare) return false;
        for (const auto& force : all)
            if (force->device() == device) force->use_device(*spare);
        return true;
    });
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
