// Replaces the other sources of this room in a build without HIP.
#include "trellis/devices/hip/hip_device.hpp"

namespace trellis {

int hip_device_count() { return 0; }
bool hip_device_serves(int) { return false; }
std::string_view hip_architectures() { return ""; }

std::shared_ptr<LocalDevice> make_hip_device(int number, std::size_t) {
    throw InputError("there is no device 'hip:" + std::to_string(number) + "': Trellis was built without HIP");
}

}  // namespace trellis
