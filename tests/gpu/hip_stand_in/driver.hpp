// The device of OpenCL that stands in for a GPU of AMD: the first one, with what the functions of HIP need of it.
#pragma once

#include "trellis/devices/opencl/opencl_library.hpp"

namespace hip_stand_in {

// Errors of HIP, by its numbers.
enum Error {
    success = 0,
    invalid_value = 1,
    out_of_memory = 2,
    invalid_configuration = 9,
    no_device = 100,
    invalid_image = 200,
    no_binary_for_gpu = 209,
    not_found = 500,
    launch_failure = 719,
};

// The GPU that the device says it is, whose code objects are read for what their kernels take.
inline constexpr const char* architecture = "gfx90a";
// The most that a block of threads may share on such a GPU.
inline constexpr std::size_t shared_bytes_of_block = 64 << 10;

struct Driver {
    cl_device_id device = nullptr;
    cl_context context = nullptr;
    clDeviceMemAllocINTEL_fn allocate = nullptr;
    clHostMemAllocINTEL_fn allocate_host = nullptr;
    clMemFreeINTEL_fn free = nullptr;
    clEnqueueMemcpyINTEL_fn copy = nullptr;
    clSetKernelArgMemPointerINTEL_fn set_pointer = nullptr;
};

// Null if there is no device of OpenCL.
const Driver* driver();

inline const trellis::OpenCl& opencl() { return *trellis::opencl_library(); }

// The functions of HIP are all that the library shows.
#define HIP_STAND_IN extern "C" __attribute__((visibility("default")))

}  // namespace hip_stand_in

struct HipStreamOfDriver {
    cl_command_queue queue;
};
struct HipEventOfDriver {
    cl_event event;  // null until it is recorded
};
