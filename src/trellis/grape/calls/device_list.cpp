#include "trellis/grape/calls/device_list.hpp"

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "trellis/base/error.hpp"
#include "trellis/devices/remote/open.hpp"

namespace trellis {

namespace {

constexpr const char* variable = "TRELLIS_GRAPE_DEVICE";

std::string without_spaces(std::string_view text) {
    const std::size_t first = text.find_first_not_of(' '), last = text.find_last_not_of(' ');
    return first == std::string_view::npos ? "" : std::string(text.substr(first, last - first + 1));
}

}  // namespace

GrapeDeviceList::GrapeDeviceList() {
    const char* value = std::getenv(variable);
    const std::string_view all = value != nullptr && *value != '\0' ? value : "cpu";
    for (std::size_t begin = 0; begin <= all.size();) {
        const std::size_t end = std::min(all.find(',', begin), all.size());
        names_.push_back(without_spaces(all.substr(begin, end - begin)));
        if (names_.back().empty())
            throw InputError(std::string(variable) + " is '" + std::string(all) +
                             "', but must be the name of a device, or several with commas between them");
        begin = end + 1;
    }
}

std::shared_ptr<Device> GrapeDeviceList::device(std::size_t number) {
    const std::string& name = names_[number % names_.size()];
    std::shared_ptr<Device>& device = open_[name];
    if (!device) try {
            device = open_device(name);
        } catch (const InputError& error) {
            throw InputError(std::string(variable) + ": " + error.what());
        }
    return device;
}

}  // namespace trellis
