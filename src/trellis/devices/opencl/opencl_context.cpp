#include "trellis/devices/opencl/opencl_context.hpp"

#include <stdexcept>

#include "trellis/devices/gpu/clang_modules.hpp"

namespace trellis {

namespace {

template <class Function>
void find(cl_platform_id platform, Function& function, const char* name) {
    function = reinterpret_cast<Function>(opencl_library()->clGetExtensionFunctionAddressForPlatform(platform, name));
}

// Options for the same bits as on the processor, where the device has them.
const char* build_options(cl_device_id device) {
    const auto rounding = device_number<cl_device_fp_config>(device, CL_DEVICE_SINGLE_FP_CONFIG);
    return (rounding & CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT) != 0 ? "-cl-fp32-correctly-rounded-divide-sqrt" : "";
}

// See kernel_text.hpp.
constexpr const char* opencl_definitions = R"(
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#define KERNEL __kernel __attribute__((reqd_work_group_size(256, 1, 1)))
#define FUNCTION static inline
#define GLOBAL __global
#define SHARED __local
#define TABLE __constant
#define ALIGNED_16 __attribute__((aligned(16)))
#define BLOCK_X ((uint)get_group_id(0))
#define BLOCK_Y ((uint)get_group_id(1))
#define THREAD ((uint)get_local_id(0))
#define BARRIER barrier(CLK_LOCAL_MEM_FENCE)
#define INFINITE INFINITY
#define RSQRT_OF_POSITIVE(x) rsqrt(x)
typedef uint u32;
typedef ulong u64;
)";

}  // namespace

std::string_view OpenClContext::lack_of(cl_device_id device) {
    const auto memory = device_number<cl_device_unified_shared_memory_capabilities_intel>(
        device, CL_DEVICE_DEVICE_MEM_CAPABILITIES_INTEL);
    if ((memory & CL_UNIFIED_SHARED_MEMORY_ACCESS_INTEL) == 0)
        return "has no unified shared memory (cl_intel_unified_shared_memory), which Trellis needs";
    if (device_text(device, CL_DEVICE_IL_VERSION).find("SPIR-V") == std::string::npos)
        return "takes no SPIR-V, in which Trellis has its kernels";
    if (device_number<cl_device_fp_config>(device, CL_DEVICE_DOUBLE_FP_CONFIG) == 0)
        return "has no double precision, which Trellis needs";
    return "";
}

OpenClContext::OpenClContext(cl_device_id device) : device_(device) {
    const auto take_message = [](const char* text, const void*, std::size_t, void* self) {
        auto& context = *static_cast<OpenClContext*>(self);
        const std::scoped_lock lock(context.message_mutex_);
        context.message_ = text;
    };
    cl_int error = CL_SUCCESS;
    context_ = opencl_library()->clCreateContext(nullptr, 1, &device, take_message, this, &error);
    check(error);
    const auto platform = device_number<cl_platform_id>(device, CL_DEVICE_PLATFORM);
    find(platform, allocate_, "clDeviceMemAllocINTEL");
    find(platform, allocate_host_, "clHostMemAllocINTEL");
    find(platform, free_, "clMemFreeINTEL");
    find(platform, copy_, "clEnqueueMemcpyINTEL");
    find(platform, set_pointer_, "clSetKernelArgMemPointerINTEL");
}

cl_command_queue OpenClContext::make_queue() const {
    const cl_queue_properties with_times[] = {CL_QUEUE_PROPERTIES, CL_QUEUE_PROFILING_ENABLE, 0};
    cl_int error = CL_SUCCESS;
    cl_command_queue queue =
        opencl_library()->clCreateCommandQueueWithProperties(context_, device_, with_times, &error);
    check(error);
    return queue;
}

std::byte* OpenClContext::allocate(std::size_t bytes) const {
    cl_int error = CL_SUCCESS;
    return static_cast<std::byte*>(allocate_(context_, device_, nullptr, bytes, 0, &error));
}

std::byte* OpenClContext::allocate_host(std::size_t bytes) const {
    cl_int error = CL_SUCCESS;
    return static_cast<std::byte*>(allocate_host_(context_, nullptr, bytes, 0, &error));
}

void OpenClContext::copy(cl_command_queue queue, void* to, const void* from, std::size_t bytes, cl_event* done) const {
    if (bytes == 0)
        check(opencl_library()->clEnqueueBarrierWithWaitList(queue, 0, nullptr, done));
    else
        check(copy_(queue, CL_FALSE, to, from, bytes, 0, nullptr, done));
}

void OpenClContext::launch(cl_command_queue queue, const void* kernel, const std::array<std::size_t, 2>& blocks,
                           std::size_t threads, std::span<const LaunchArgument> arguments, cl_event* done) {
    compile(kernel);
    const std::scoped_lock lock(mutex_);
    launch_built(queue, kernels_.at(kernel), blocks, threads, arguments, done);
}

void OpenClContext::launch(cl_command_queue queue, const std::shared_ptr<const KernelText>& kernel,
                           std::span<const LaunchArgument> arguments, const std::array<std::size_t, 2>& blocks,
                           cl_event* done) {
    compile(kernel);
    const std::scoped_lock lock(mutex_);
    launch_built(queue, texts_.at(kernel), blocks, text_block_threads, arguments, done);
}

void OpenClContext::launch_built(cl_command_queue queue, cl_kernel kernel, const std::array<std::size_t, 2>& blocks,
                                 std::size_t threads, std::span<const LaunchArgument> arguments, cl_event* done) const {
    cl_uint number = 0;
    for (const LaunchArgument& argument : arguments) {
        if (argument.pointer)
            check(set_pointer_(kernel, number, *static_cast<const void* const*>(argument.value)));
        else
            check(opencl_library()->clSetKernelArg(kernel, number, argument.bytes, argument.value));
        ++number;
    }
    const std::size_t all[] = {blocks[0] * threads, blocks[1]}, of_block[] = {threads, 1};
    check(opencl_library()->clEnqueueNDRangeKernel(queue, kernel, 2, nullptr, all, of_block, 0, nullptr, done));
}

bool OpenClContext::has(const void* kernel) {
    const std::scoped_lock lock(mutex_);
    return kernels_.contains(kernel);
}

// Threads that launch the same kernel for the first time build it once.
void OpenClContext::compile(const void* kernel) {
    if (has(kernel)) return;
    const std::scoped_lock building(building_);
    if (has(kernel)) return;
    const ClangKernel compiled = clang_kernel(kernel);
    cl_kernel made = kernel_of(built_module(compiled.spirv()), compiled.name);
    // Structs among the arguments hold pointers.
    const cl_bool yes = CL_TRUE;
    check(opencl_library()->clSetKernelExecInfo(made, CL_KERNEL_EXEC_INFO_INDIRECT_DEVICE_ACCESS_INTEL, sizeof yes,
                                                &yes));
    const std::scoped_lock lock(mutex_);
    kernels_.emplace(kernel, made);
}

void OpenClContext::compile(const std::shared_ptr<const KernelText>& kernel) {
    {
        const std::scoped_lock lock(mutex_);
        if (texts_.contains(kernel)) return;
    }
    cl_kernel made = built(*kernel);
    const std::scoped_lock lock(mutex_);
    std::erase_if(texts_, [](const auto& each) {
        return each.first.expired() && opencl_library()->clReleaseKernel(each.second) == CL_SUCCESS;
    });
    if (!texts_.emplace(kernel, made).second) opencl_library()->clReleaseKernel(made);  // another thread was faster
}

cl_kernel OpenClContext::built(const KernelText& kernel) const {
    const char* parts[] = {opencl_definitions, kernel.text.c_str()};
    cl_int error = CL_SUCCESS;
    cl_program program = opencl_library()->clCreateProgramWithSource(context_, 2, parts, nullptr, &error);
    check(error);
    build(program);
    cl_kernel made = kernel_of(program, kernel.function);
    check(opencl_library()->clReleaseProgram(program));  // the kernel keeps it
    return made;
}

cl_kernel OpenClContext::kernel_of(cl_program program, const std::string& name) const {
    cl_int error = CL_SUCCESS;
    cl_kernel kernel = opencl_library()->clCreateKernel(program, name.c_str(), &error);
    check(error);
    return kernel;
}

cl_program OpenClContext::built_module(std::span<const std::uint32_t> module) {
    cl_program& known = modules_[module.data()];
    if (known != nullptr) return known;
    cl_int error = CL_SUCCESS;
    cl_program program = opencl_library()->clCreateProgramWithIL(context_, module.data(), module.size_bytes(), &error);
    check(error);
    build(program);
    return known = program;
}

// Builds a program, or releases it and throws.
void OpenClContext::build(cl_program program) const {
    const cl_int error =
        opencl_library()->clBuildProgram(program, 1, &device_, build_options(device_), nullptr, nullptr);
    if (error == CL_SUCCESS) return;
    std::string log(4096, '\0');
    opencl_library()->clGetProgramBuildInfo(program, device_, CL_PROGRAM_BUILD_LOG, log.size(), log.data(), nullptr);
    opencl_library()->clReleaseProgram(program);
    log.resize(log.find('\0'));
    const std::size_t message = log.find("error"), line = log.rfind('\n', message);
    fail(error, message == std::string::npos || line == std::string::npos ? log : log.substr(line + 1));
}

void OpenClContext::check(cl_int error) const {
    if (error == CL_SUCCESS) return;
    const std::scoped_lock lock(message_mutex_);
    fail(error, message_);
}

void OpenClContext::fail(cl_int error, const std::string& message) const {
    throw std::runtime_error(opencl_error_name(error) + " of " + device_text(device_, CL_DEVICE_NAME) +
                             (message.empty() ? "" : ": " + message.substr(0, message.find('\n'))));
}

}  // namespace trellis
