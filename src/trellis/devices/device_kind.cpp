#include "trellis/devices/device_kind.hpp"

#include <algorithm>

namespace trellis {

// The address of a device of another machine ends with its name there.
bool names_gpu(std::string_view name) {
    const std::string_view last = name.substr(name.rfind('/') + 1);
    return last.starts_with("cuda:") || last.starts_with("hip:") || last.starts_with("opencl:");
}

bool names_graph_device(std::string_view name) {
    if (const std::size_t first = name.find(joins_names); first != name.npos)
        return names_graph_device(name.substr(0, first)) && names_graph_device(name.substr(first + joins_names.size()));
    const std::string_view last = name.substr(name.rfind('/') + 1);
    return names_gpu(name) || last == "cpu" || last.starts_with("cpu#");
}

bool name_gpus(std::span<const std::string> names) { return !names.empty() && std::ranges::all_of(names, names_gpu); }

bool are_gpus(const Devices& devices) {
    return !devices.none() &&
           std::ranges::all_of(devices.all(), [](const auto& device) { return names_gpu(device->name()); });
}

std::string kind_of(const Device& device) {
    if (!names_gpu(device.name())) return "a processor";
    const std::string description = device.description();
    return description.substr(0, description.find(','));
}

}  // namespace trellis
