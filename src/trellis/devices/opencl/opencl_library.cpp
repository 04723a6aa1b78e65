#include "trellis/devices/opencl/opencl_library.hpp"

#include <dlfcn.h>

#include <optional>
#include <utility>

namespace trellis {

namespace {

std::optional<OpenCl> loaded() {
    void* library = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);  // it stays loaded until the program ends
    if (library == nullptr) return std::nullopt;
    OpenCl found;
    bool complete = true;
    const auto find = [&](auto& function, const char* name) {
        function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
        complete = complete && function != nullptr;
    };
#define TRELLIS_OPENCL_FIND(name) find(found.name, #name);
    TRELLIS_OPENCL_FUNCTIONS(TRELLIS_OPENCL_FIND)
#undef TRELLIS_OPENCL_FIND
    if (!complete) return std::nullopt;  // a loader of an older version than 2.1
    return found;
}

std::vector<cl_device_id> found_devices() {
    std::vector<cl_device_id> all;
    cl_uint count = 0;
    if (opencl_library() == nullptr || opencl_library()->clGetPlatformIDs(0, nullptr, &count) != CL_SUCCESS) return all;
    std::vector<cl_platform_id> platforms(count);
    opencl_library()->clGetPlatformIDs(count, platforms.data(), nullptr);
    for (cl_platform_id platform : platforms) {
        cl_uint more = 0;
        if (opencl_library()->clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, nullptr, &more) != CL_SUCCESS) continue;
        const std::size_t before = all.size();
        all.resize(before + more);
        opencl_library()->clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, more, all.data() + before, nullptr);
    }
    return all;
}

}  // namespace

const OpenCl* opencl_library() {
    static const std::optional<OpenCl> library = loaded();
    return library ? &*library : nullptr;
}

const std::vector<cl_device_id>& opencl_devices() {
    static const std::vector<cl_device_id> devices = found_devices();
    return devices;
}

std::string opencl_error_name(cl_int error) {
#define TRELLIS_OPENCL_ERROR(name) {name, #name}
    static constexpr std::pair<cl_int, const char*> names[] = {
        TRELLIS_OPENCL_ERROR(CL_DEVICE_NOT_AVAILABLE),  TRELLIS_OPENCL_ERROR(CL_MEM_OBJECT_ALLOCATION_FAILURE),
        TRELLIS_OPENCL_ERROR(CL_OUT_OF_RESOURCES),      TRELLIS_OPENCL_ERROR(CL_OUT_OF_HOST_MEMORY),
        TRELLIS_OPENCL_ERROR(CL_BUILD_PROGRAM_FAILURE), TRELLIS_OPENCL_ERROR(CL_INVALID_VALUE),
        TRELLIS_OPENCL_ERROR(CL_INVALID_BINARY),        TRELLIS_OPENCL_ERROR(CL_INVALID_OPERATION),
        TRELLIS_OPENCL_ERROR(CL_INVALID_KERNEL_NAME),   TRELLIS_OPENCL_ERROR(CL_INVALID_ARG_SIZE),
        TRELLIS_OPENCL_ERROR(CL_INVALID_KERNEL_ARGS),   TRELLIS_OPENCL_ERROR(CL_INVALID_WORK_GROUP_SIZE),
        TRELLIS_OPENCL_ERROR(CL_INVALID_BUFFER_SIZE),   TRELLIS_OPENCL_ERROR(CL_INVALID_GLOBAL_WORK_SIZE)};
#undef TRELLIS_OPENCL_ERROR
    for (const auto& [number, name] : names)
        if (number == error) return std::string(name) + " (" + std::to_string(error) + ")";
    return "error " + std::to_string(error) + " of OpenCL";
}

std::string device_text(cl_device_id device, cl_device_info what) {
    std::size_t bytes = 0;
    opencl_library()->clGetDeviceInfo(device, what, 0, nullptr, &bytes);
    std::string text(bytes, '\0');
    opencl_library()->clGetDeviceInfo(device, what, bytes, text.data(), nullptr);
    return text.substr(0, text.find('\0'));
}

}  // namespace trellis
