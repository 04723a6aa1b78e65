#include "trellis/devices/server/lent_devices.hpp"

#include <algorithm>
#include <set>

#include "trellis/base/parallel.hpp"
#include "trellis/devices/cpu_device.hpp"
#include "trellis/devices/remote/open.hpp"

namespace trellis {

LentDevices::LentDevices(std::vector<std::string> names, std::uint64_t memory, bool isolated,
                         const std::function<void()>& begun)
    : processes_(isolated ? std::make_shared<KernelProcesses>(begun) : nullptr) {
    if (names.empty()) names = device_names();
    const std::vector<std::string> all = with_copies(names);
    for (const std::string& name : all) {
        const auto device = open_local_device(name);
        std::uint64_t lent = device->memory_bytes();
        if (memory > 0)
            lent = std::min<std::uint64_t>(memory, lent);
        else if (!name.starts_with("cuda:"))
            lent /= 2 * all.size();
        devices_.push_back({name, device->description(), lent, lent, {}});
    }
}

std::shared_ptr<LocalDevice> LentDevices::lend(const std::string& name, std::uint64_t wanted, const std::string& who) {
    Lent& lent = find(name);
    const std::uint64_t given = wanted > 0 ? wanted : usual_share(lent);
    if (given > lent.left || given == 0)
        throw InputError("device " + name + " has " + std::to_string(lent.left) + " bytes of memory left to lend, " +
                         std::to_string(given) + " are wanted");
    const int threads = thread_count();
    auto device = processes_ != nullptr && name_of_original(name) == "cpu"
                      ? make_cpu_device(given, threads, name, processes_->make(given, threads))
                      : open_local_device(name, given);
    lent.left -= given;
    lent.users.push_back(who);
    return device;
}

std::uint64_t LentDevices::usual_share(const Lent& lent) {
    constexpr std::uint64_t clients = 8;
    const std::uint64_t least = lent.memory / (2 * clients);
    const std::uint64_t further = clients - 1 - std::min<std::uint64_t>(lent.users.size(), clients - 1);
    return std::max(least, (lent.left - std::min(lent.left, further * least)) / 2);
}

std::uint64_t LentDevices::left() const {
    std::uint64_t all = 0;
    for (const Lent& lent : devices_) all += lent.left;
    return all;
}

void LentDevices::give_back(const std::string& name, std::uint64_t memory, const std::string& who) {
    Lent& lent = find(name);
    lent.left += memory;
    if (const auto user = std::ranges::find(lent.users, who); user != lent.users.end()) lent.users.erase(user);
}

std::vector<LentDevice> LentDevices::entries() const {
    std::vector<LentDevice> entries;
    for (const Lent& lent : devices_) {
        std::string users;
        for (const std::string& user : std::set(lent.users.begin(), lent.users.end()))
            users += (users.empty() ? "" : ", ") + user;
        entries.push_back({lent.name, lent.description, lent.memory, lent.left, users});
    }
    return entries;
}

LentDevices::Lent& LentDevices::find(const std::string& name) {
    const auto found = std::ranges::find(devices_, name, &Lent::name);
    if (found != devices_.end()) return *found;
    std::string known;
    for (const Lent& lent : devices_) known += (known.empty() ? "" : ", ") + lent.name;
    throw InputError("there is no device '" + name + "' here: lent are " + known);
}

}  // namespace trellis
