// The functions of OpenCL, found at run time: Trellis is not linked with it.
#pragma once

#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <CL/cl_ext.h>

#include <string>
#include <vector>

namespace trellis {

// clang-format off
#define TRELLIS_OPENCL_FUNCTIONS(of) \
    of(clBuildProgram) of(clCreateCommandQueueWithProperties) of(clCreateContext) of(clCreateKernel) \
    of(clCreateProgramWithIL) of(clCreateProgramWithSource) of(clEnqueueBarrierWithWaitList) \
    of(clEnqueueNDRangeKernel) of(clFinish) of(clFlush) of(clGetDeviceIDs) of(clGetDeviceInfo) \
    of(clGetEventProfilingInfo) of(clGetExtensionFunctionAddressForPlatform) of(clGetPlatformIDs) \
    of(clGetProgramBuildInfo) of(clReleaseCommandQueue) of(clReleaseEvent) of(clReleaseKernel) \
    of(clReleaseProgram) of(clSetKernelArg) of(clSetKernelExecInfo) of(clWaitForEvents)
// clang-format on

struct OpenCl {
#define TRELLIS_OPENCL_MEMBER(name) decltype(&::name) name = nullptr;  // NOLINT(bugprone-macro-parentheses)
    TRELLIS_OPENCL_FUNCTIONS(TRELLIS_OPENCL_MEMBER)
#undef TRELLIS_OPENCL_MEMBER
};

// The functions; null if this machine has no OpenCL (libOpenCL.so.1, the loader of the drivers).
const OpenCl* opencl_library();

// The devices of all platforms, in the order in which the loader has them; none without OpenCL.
const std::vector<cl_device_id>& opencl_devices();

// "CL_OUT_OF_RESOURCES (-5)", or the number alone.
std::string opencl_error_name(cl_int error);

// A text, or a number, that a device has about itself.
std::string device_text(cl_device_id device, cl_device_info what);
template <class T>
T device_number(cl_device_id device, cl_device_info what) {
    T number{};
    opencl_library()->clGetDeviceInfo(device, what, sizeof(T), static_cast<void*>(&number),
                                      nullptr);  // stays zero if it does not know
    return number;
}

}  // namespace trellis
