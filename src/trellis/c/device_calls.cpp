#include <algorithm>

#include "trellis/c/c_call.hpp"
#include "trellis/c/handles.hpp"
#include "trellis/devices/remote/open.hpp"

using namespace trellis;

namespace {

Devices open_devices(std::vector<std::string> names) {
    std::ranges::replace(names, "auto", automatic_device());
    return OpenDevices().of(names);
}

}  // namespace

int trellis_devices_open(const char* names, trellis_devices** devices) {
    return carry_out_c([&] { put_new(devices, "devices", [&] { return open_devices(words_of(names, "names")); }); });
}

void trellis_devices_free(trellis_devices* devices) { delete devices; }
