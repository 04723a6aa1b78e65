// Devices, memory, streams and events of HIP, on a device of OpenCL. Parameters are those of HIP's documentation.
#include <cstdlib>
#include <cstring>

#include "hip_stand_in/driver.hpp"

using namespace hip_stand_in;

namespace {

constexpr int compute_units = 63, shared_bytes = 74;  // numbers of attributes

int outcome_of(cl_int error) { return error == CL_SUCCESS ? success : launch_failure; }

void put(char* text, std::size_t bytes, const std::string& value) {
    std::strncpy(text, value.c_str(), bytes - 1);
    text[bytes - 1] = '\0';
}

int put_allocated(void** address, void* allocated) {
    *address = allocated;
    return allocated != nullptr ? success : out_of_memory;
}

// Waits for all commands of a stream before it, and for `after` unless that is null.
int barrier(HipStreamOfDriver* stream, cl_event after, cl_event* done) {
    const int outcome = outcome_of(opencl().clEnqueueBarrierWithWaitList(stream->queue, after != nullptr ? 1 : 0,
                                                                         after != nullptr ? &after : nullptr, done));
    opencl().clFlush(stream->queue);
    return outcome;
}

void forget(HipEventOfDriver* event) {
    if (event->event != nullptr) opencl().clReleaseEvent(event->event);
    event->event = nullptr;
}

}  // namespace

HIP_STAND_IN int hipGetDeviceCount(int* count) {
    *count = driver() != nullptr ? 1 : 0;
    return *count > 0 ? success : no_device;
}

HIP_STAND_IN int hipSetDevice(int number) { return number == 0 ? success : invalid_value; }

HIP_STAND_IN int hipDeviceGetName(char* name, int bytes, int) {
    put(name, static_cast<std::size_t>(bytes), "stand-in of an AMD GPU");
    return success;
}

// Puts the name of the architecture where HIP 6 has it. A test asks for another one.
HIP_STAND_IN int hipGetDevicePropertiesR0600(void* properties, int) {
    const char* given = std::getenv("HIP_STAND_IN_ARCHITECTURE");
    const std::string name = given != nullptr ? given : architecture;
    put(static_cast<char*>(properties) + 1160, 256, name + ":sramecc+:xnack-");
    return success;
}

HIP_STAND_IN int hipDriverGetVersion(int* version) {
    *version = 60'443'484;
    return success;
}

HIP_STAND_IN int hipDeviceGetAttribute(int* value, int which, int) {
    if (which == compute_units)
        *value = static_cast<int>(trellis::device_number<cl_uint>(driver()->device, CL_DEVICE_MAX_COMPUTE_UNITS));
    else if (which == shared_bytes)
        *value = static_cast<int>(shared_bytes_of_block);
    else
        return invalid_value;
    return success;
}

HIP_STAND_IN int hipMemGetInfo(std::size_t* free, std::size_t* all) {
    *free = *all = trellis::device_number<cl_ulong>(driver()->device, CL_DEVICE_GLOBAL_MEM_SIZE);
    return success;
}

HIP_STAND_IN int hipMalloc(void** address, std::size_t bytes) {
    cl_int error = CL_SUCCESS;
    return put_allocated(address, driver()->allocate(driver()->context, driver()->device, nullptr, bytes, 0, &error));
}

HIP_STAND_IN int hipHostMalloc(void** address, std::size_t bytes, unsigned) {
    cl_int error = CL_SUCCESS;
    return put_allocated(address, driver()->allocate_host(driver()->context, nullptr, bytes, 0, &error));
}

HIP_STAND_IN int hipFree(void* address) { return outcome_of(driver()->free(driver()->context, address)); }
HIP_STAND_IN int hipHostFree(void* address) { return hipFree(address); }

HIP_STAND_IN int hipStreamCreateWithFlags(HipStreamOfDriver** stream, unsigned) {
    const cl_queue_properties with_times[] = {CL_QUEUE_PROPERTIES, CL_QUEUE_PROFILING_ENABLE, 0};
    cl_int error = CL_SUCCESS;
    *stream = new HipStreamOfDriver{
        opencl().clCreateCommandQueueWithProperties(driver()->context, driver()->device, with_times, &error)};
    return outcome_of(error);
}

HIP_STAND_IN int hipStreamSynchronize(HipStreamOfDriver* stream) {
    return outcome_of(opencl().clFinish(stream->queue));
}

HIP_STAND_IN int hipStreamDestroy(HipStreamOfDriver* stream) {
    const int outcome = outcome_of(opencl().clReleaseCommandQueue(stream->queue));
    delete stream;
    return outcome;
}

HIP_STAND_IN int hipStreamWaitEvent(HipStreamOfDriver* stream, HipEventOfDriver* event, unsigned) {
    return event->event == nullptr ? success : barrier(stream, event->event, nullptr);
}

HIP_STAND_IN int hipMemcpyAsync(void* to, const void* from, std::size_t bytes, int direction,
                                HipStreamOfDriver* stream) {
    if (direction != 4) return invalid_value;  // by addresses
    if (bytes == 0) return success;
    return outcome_of(driver()->copy(stream->queue, CL_FALSE, to, from, bytes, 0, nullptr, nullptr));
}

HIP_STAND_IN int hipEventCreate(HipEventOfDriver** event) {
    *event = new HipEventOfDriver{nullptr};
    return success;
}

HIP_STAND_IN int hipEventDestroy(HipEventOfDriver* event) {
    forget(event);
    delete event;
    return success;
}

HIP_STAND_IN int hipEventRecord(HipEventOfDriver* event, HipStreamOfDriver* stream) {
    forget(event);
    return barrier(stream, nullptr, &event->event);
}

HIP_STAND_IN int hipEventSynchronize(HipEventOfDriver* event) {
    return event->event == nullptr ? success : outcome_of(opencl().clWaitForEvents(1, &event->event));
}

HIP_STAND_IN int hipEventElapsedTime(float* milliseconds, HipEventOfDriver* begin, HipEventOfDriver* end) {
    const auto ended = [](const HipEventOfDriver* event) {
        cl_ulong time = 0;
        opencl().clGetEventProfilingInfo(event->event, CL_PROFILING_COMMAND_END, sizeof time, &time, nullptr);
        return time;
    };
    if (begin->event == nullptr || end->event == nullptr) return invalid_value;
    *milliseconds = 1e-6F * static_cast<float>(ended(end) - ended(begin));
    return success;
}

HIP_STAND_IN const char* hipGetErrorName(int error) {
    switch (error) {
        case success:
            return "hipSuccess";
        case invalid_value:
            return "hipErrorInvalidValue";
        case out_of_memory:
            return "hipErrorOutOfMemory";
        case invalid_configuration:
            return "hipErrorInvalidConfiguration";
        case no_device:
            return "hipErrorNoDevice";
        case invalid_image:
            return "hipErrorInvalidImage";
        case no_binary_for_gpu:
            return "hipErrorNoBinaryForGpu";
        case not_found:
            return "hipErrorNotFound";
        default:
            return "hipErrorLaunchFailure";
    }
}

HIP_STAND_IN const char* hipGetErrorString(int) { return "the stand-in of HIP refuses a call"; }
