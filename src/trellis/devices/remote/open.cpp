#include "trellis/devices/remote/open.hpp"

#include <unistd.h>

#include <algorithm>

#include "trellis/base/parallel.hpp"
#include "trellis/devices/cpu_device.hpp"
#include "trellis/devices/cuda_device.hpp"
#include "trellis/devices/rehearsal/rehearsal_device.hpp"
#include "trellis/devices/remote/remote_device.hpp"
#include "trellis/transport/streams/address.hpp"

namespace trellis {

std::vector<std::string> device_names() {
    std::vector<std::string> names = {"cpu"};
    for (int k = 0; k < cuda_device_count(); ++k) names.push_back("cuda:" + std::to_string(k));
    return names;
}

std::shared_ptr<LocalDevice> open_local_device(const std::string& name, std::size_t memory) {
    const auto all =
        static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    if (is_rehearsal(name)) return make_rehearsal_device(name, memory > 0 ? memory : all, thread_count());
    const std::vector<std::string> names = device_names();
    const auto found = std::ranges::find(names, name);
    if (found == names.end()) {
        std::string known;
        for (const std::string& each : names) known += (known.empty() ? "" : ", ") + each;
        throw InputError("there is no device '" + name + "': on this machine, allowed are " + known);
    }
    if (name != "cpu") return make_cuda_device(static_cast<int>(found - names.begin()) - 1, memory);
    return make_cpu_device(memory > 0 ? memory : all, thread_count());
}

std::shared_ptr<Device> open_device(const std::string& name, std::size_t memory, std::chrono::milliseconds grace) {
    if (grace < grace.zero() || grace > longest_grace)
        throw InputError("grace is " + to_text(1e-3 * static_cast<double>(grace.count())) +
                         ": allowed is 0 to 3600 seconds");
    return is_remote(name) ? open_remote_device(name, memory, grace) : open_local_device(name, memory);
}

Devices OpenDevices::of(const std::vector<std::string>& names) {
    if (names == std::vector<std::string>{"host"}) return {};
    if (names.empty()) throw InputError("device is an empty list: allowed are host, or names such as cpu and cuda:0");
    if (std::ranges::find(names, "host") != names.end())
        throw InputError("device names host among others: allowed in a list are devices, such as cpu and cuda:0");
    std::vector<std::shared_ptr<Device>> all;
    for (const std::string& name : names) {
        if (std::ranges::count(names, name) > 1)
            throw InputError("device names " + name + " twice: allowed in a list is each device once");
        auto& device = open_[name];
        if (device == nullptr) device = open_device(name, memory_, grace_);
        all.push_back(device);
    }
    return Devices(std::move(all));
}

}  // namespace trellis
