#include "trellis/devices/remote/open.hpp"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdint>

#include "trellis/base/parallel.hpp"
#include "trellis/devices/cpu_device.hpp"
#include "trellis/devices/cuda/cuda_device.hpp"
#include "trellis/devices/emulated/emulated_device.hpp"
#include "trellis/devices/hip/hip_device.hpp"
#include "trellis/devices/opencl/opencl_device.hpp"
#include "trellis/devices/remote/open_remote_device.hpp"
#include "trellis/transport/addresses/address.hpp"

namespace trellis {

namespace {

constexpr std::uint32_t most_copies = 65536;

bool is_number(std::string_view text) {
    return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

// The number of a device, such as 2 of "cuda:2"; -1 if the name does not begin with the prefix.
int number_of(std::string_view name, std::string_view prefix) {
    int number = -1;
    if (name.starts_with(prefix) && is_number(name.substr(prefix.size())))
        std::from_chars(name.data() + prefix.size(), name.data() + name.size(), number);
    return number;
}

std::uint32_t count_in(const std::string& name, std::string_view text) {
    std::uint32_t count = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), count);
    if (!is_number(text) || read.ec != std::errc() || count < 1 || count > most_copies)
        throw InputError("device is '" + name + "': allowed behind * is a number of devices, 1 to " +
                         std::to_string(most_copies));
    return count;
}

}  // namespace

std::vector<std::string> device_names() {
    std::vector<std::string> names = {"cpu"};
    for (int k = 0; k < cuda_device_count(); ++k) names.push_back("cuda:" + std::to_string(k));
    for (int k = 0; k < hip_device_count(); ++k)
        if (hip_device_serves(k)) names.push_back("hip:" + std::to_string(k));
    for (int k = 0; k < opencl_device_count(); ++k)
        if (opencl_device_serves(k)) names.push_back("opencl:" + std::to_string(k));
    return names;
}

std::string automatic_device() {
    if (cuda_device_count() > 0) return "cuda:0";
    for (int k = 0; k < hip_device_count(); ++k)
        if (hip_device_serves(k)) return "hip:" + std::to_string(k);
    for (int k = 0; k < opencl_device_count(); ++k)
        if (opencl_device_is_gpu(k)) return "opencl:" + std::to_string(k);
    return "host";
}

std::shared_ptr<LocalDevice> open_local_device(const std::string& name, std::size_t memory) {
    const auto all =
        static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    const std::string original(name_of_original(name));
    if (is_emulated(name)) return make_emulated_device(original, memory > 0 ? memory : all, thread_count(), name);
    if (original == "cpu") return make_cpu_device(memory > 0 ? memory : all, thread_count(), name);
    if (const int number = number_of(name, "cuda:"); number >= 0 && number < cuda_device_count())
        return make_cuda_device(number, memory);
    if (const int number = number_of(name, "hip:"); number >= 0 && number < hip_device_count())
        return make_hip_device(number, memory);
    if (const int number = number_of(name, "opencl:"); number >= 0 && number < opencl_device_count())
        return make_opencl_device(number, memory);
    std::string known;
    for (const std::string& each : device_names()) {
        if (each == original)
            throw InputError("there is no device '" + name + "': only cpu and rehearsal devices have copies");
        known += (known.empty() ? "" : ", ") + each;
    }
    throw InputError("there is no device '" + name + "': on this machine, allowed are " + known);
}

std::shared_ptr<Device> open_device(const std::string& name, std::size_t memory, std::chrono::milliseconds grace) {
    if (grace < grace.zero() || grace > longest_grace)
        throw InputError("grace is " + to_text(1e-3 * static_cast<double>(grace.count())) +
                         ": allowed is 0 to 3600 seconds");
    return is_remote(name) ? open_remote_device(name, memory, grace) : open_local_device(name, memory);
}

Devices OpenDevices::of(const std::vector<std::string>& given) {
    const std::vector<std::string> names = with_copies(given);
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

std::vector<std::string> with_copies(const std::vector<std::string>& names) {
    std::vector<std::string> all;
    for (const std::string& name : names) {
        const std::size_t star = name.rfind('*');
        if (star == std::string::npos) {
            all.push_back(name);
            continue;
        }
        const std::uint32_t count = count_in(name, std::string_view(name).substr(star + 1));
        for (std::uint32_t k = 0; k < count; ++k) all.push_back(name.substr(0, star) + "#" + std::to_string(k));
    }
    return all;
}

std::string_view name_of_original(std::string_view name) {
    const std::size_t mark = name.rfind('#');
    return mark != std::string_view::npos && is_number(name.substr(mark + 1)) ? name.substr(0, mark) : name;
}

}  // namespace trellis
