#include "hip_stand_in/driver.hpp"

#include <optional>

namespace hip_stand_in {

namespace {

template <class Function>
void find(cl_platform_id platform, Function& function, const char* name) {
    function = reinterpret_cast<Function>(opencl().clGetExtensionFunctionAddressForPlatform(platform, name));
}

std::optional<Driver> opened() {
    if (trellis::opencl_devices().empty()) return std::nullopt;
    Driver made;
    made.device = trellis::opencl_devices().front();
    cl_int error = CL_SUCCESS;
    made.context = opencl().clCreateContext(nullptr, 1, &made.device, nullptr, nullptr, &error);
    if (error != CL_SUCCESS) return std::nullopt;
    const auto platform = trellis::device_number<cl_platform_id>(made.device, CL_DEVICE_PLATFORM);
    find(platform, made.allocate, "clDeviceMemAllocINTEL");
    find(platform, made.allocate_host, "clHostMemAllocINTEL");
    find(platform, made.free, "clMemFreeINTEL");
    find(platform, made.copy, "clEnqueueMemcpyINTEL");
    find(platform, made.set_pointer, "clSetKernelArgMemPointerINTEL");
    return made;
}

}  // namespace

const Driver* driver() {
    static const std::optional<Driver> only = opened();
    return only ? &*only : nullptr;
}

}  // namespace hip_stand_in
