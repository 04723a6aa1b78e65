// Modules and launches of HIP, on a device of OpenCL. A module is a bundle. Its SPIR-V is what runs; what a kernel's
// arguments are is read from the code object, as AMD's driver does, and so are the limits of a launch.
#include <cstdio>
#include <memory>
#include <mutex>
#include <stdexcept>

#include "hip_stand_in/bundle.hpp"
#include "hip_stand_in/driver.hpp"

using namespace hip_stand_in;

struct HipFunctionOfDriver {
    cl_kernel kernel;
    KernelFacts facts;
    std::mutex mutex;  // of the kernel's arguments
};

struct HipModuleOfDriver {
    cl_program program;
    std::map<std::string, KernelFacts> facts;
    std::map<std::string, std::unique_ptr<HipFunctionOfDriver>> functions;
};

namespace {

void check(cl_int error) {
    if (error != CL_SUCCESS) throw std::runtime_error(trellis::opencl_error_name(error));
}

// Runs calls; a failure is said on the standard error, too, since HIP's errors are numbers.
template <class Calls>
int outcome_of(int failure, Calls&& calls) {
    try {
        calls();
        return success;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "stand-in of HIP: %s\n", error.what());
        return failure;
    }
}

std::string full_name(const char* of_architecture) {
    return std::string("hipv4-amdgcn-amd-amdhsa--") + of_architecture;
}

void set_arguments(const HipFunctionOfDriver& function, void** arguments, unsigned shared_bytes) {
    const auto& all = function.facts.arguments;
    for (cl_uint k = 0; k < all.size(); ++k) {
        if (shared_bytes > 0 && k + 1 == all.size()) {  // stands for shared memory: amdgcn_words.cuh
            if (all[k].pointer || all[k].bytes != 8) throw std::runtime_error("the last argument is no number");
            check(opencl().clSetKernelArg(function.kernel, k, shared_bytes, nullptr));
        } else if (all[k].pointer) {
            check(driver()->set_pointer(function.kernel, k, *static_cast<void**>(arguments[k])));
        } else {
            check(opencl().clSetKernelArg(function.kernel, k, all[k].bytes, arguments[k]));
        }
    }
}

}  // namespace

HIP_STAND_IN int hipModuleLoadData(HipModuleOfDriver** module, const void* image) {
    const auto* bundle = static_cast<const std::byte*>(image);
    const auto code_object = module_of(bundle, full_name(architecture)), spirv = module_of(bundle, "hip-spirv64");
    if (code_object.empty() || spirv.empty()) return no_binary_for_gpu;
    return outcome_of(invalid_image, [&] {
        auto made = std::make_unique<HipModuleOfDriver>();
        made->facts = kernels_of(code_object);
        cl_int error = CL_SUCCESS;
        made->program = opencl().clCreateProgramWithIL(driver()->context, spirv.data(), spirv.size(), &error);
        check(error);
        check(opencl().clBuildProgram(made->program, 1, &driver()->device, "-cl-fp32-correctly-rounded-divide-sqrt",
                                      nullptr, nullptr));
        *module = made.release();
    });
}

HIP_STAND_IN int hipModuleUnload(HipModuleOfDriver* module) {
    for (const auto& [name, function] : module->functions) opencl().clReleaseKernel(function->kernel);
    opencl().clReleaseProgram(module->program);
    delete module;
    return success;
}

HIP_STAND_IN int hipModuleGetFunction(HipFunctionOfDriver** function, HipModuleOfDriver* module, const char* name) {
    if (!module->facts.contains(name)) return not_found;
    return outcome_of(not_found, [&] {
        auto& known = module->functions[name];
        if (known == nullptr) {
            cl_int error = CL_SUCCESS;
            known = std::make_unique<HipFunctionOfDriver>();
            known->facts = module->facts.at(name);
            known->kernel = opencl().clCreateKernel(module->program, name, &error);
            check(error);
            const cl_bool yes = CL_TRUE;  // structs among the arguments hold pointers
            check(opencl().clSetKernelExecInfo(known->kernel, CL_KERNEL_EXEC_INFO_INDIRECT_DEVICE_ACCESS_INTEL,
                                               sizeof yes, &yes));
        }
        *function = known.get();
    });
}

HIP_STAND_IN int hipModuleLaunchKernel(HipFunctionOfDriver* function, unsigned blocks_x, unsigned blocks_y,
                                       unsigned blocks_z, unsigned threads, unsigned threads_y, unsigned threads_z,
                                       unsigned shared_bytes, HipStreamOfDriver* stream, void** arguments, void**) {
    const KernelFacts& facts = function->facts;
    if (blocks_x == 0 || blocks_y == 0 || blocks_z != 1 || threads == 0 || threads_y != 1 || threads_z != 1 ||
        threads > facts.most_threads || facts.shared_bytes + shared_bytes > shared_bytes_of_block)
        return invalid_configuration;
    return outcome_of(launch_failure, [&] {
        const std::scoped_lock lock(function->mutex);
        set_arguments(*function, arguments, shared_bytes);
        const std::size_t all[] = {std::size_t{blocks_x} * threads, blocks_y}, of_block[] = {threads, 1};
        check(opencl().clEnqueueNDRangeKernel(stream->queue, function->kernel, 2, nullptr, all, of_block, 0, nullptr,
                                              nullptr));
    });
}
