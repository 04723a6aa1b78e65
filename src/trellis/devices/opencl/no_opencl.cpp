// Replaces the other sources of this room in a build without OpenCL.
#include "trellis/devices/opencl/opencl_device.hpp"

namespace trellis {

int opencl_device_count() { return 0; }
bool opencl_device_serves(int) { return false; }
bool opencl_device_is_gpu(int) { return false; }

std::shared_ptr<LocalDevice> make_opencl_device(int number, std::size_t) {
    throw InputError("there is no device 'opencl:" + std::to_string(number) + "': Trellis was built without OpenCL");
}

}  // namespace trellis
