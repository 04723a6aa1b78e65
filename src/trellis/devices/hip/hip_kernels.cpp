#include "trellis/devices/hip/hip_kernels.hpp"

#include <stdexcept>

#include "trellis/devices/gpu/clang_modules.hpp"
#include "trellis/devices/gpu/run_time_compiler.hpp"

namespace trellis {

namespace {

// See kernel_text.hpp.
constexpr const char* words_of_amd = R"(
#define ALIGNED_16 __attribute__((aligned(16)))
#define INFINITE __builtin_inff()
FUNCTION double RSQRT_OF_POSITIVE(double x) { return rsqrt(x); }
FUNCTION float RSQRT_OF_POSITIVE(float x) { return __builtin_amdgcn_rsqf(x); }
)";

std::string compiled(const std::string& text, const std::string& architecture) {
    static const RunTimeCompiler hiprtc(
        "hipRTC", {"libhiprtc.so", "libhiprtc.so.7", "libhiprtc.so.6", "libhiprtc.so.5"}, "hiprtc", "GetCode");
    if (!hiprtc.there())
        throw std::runtime_error("interactions that are compiled at run time need libhiprtc.so of ROCm");
    return hiprtc.compiled(std::string(words_of_cuda) + words_of_amd + text, "--offload-arch=" + architecture);
}

HipFunction function_in(HipModule module, const std::string& name) {
    HipFunction function = nullptr;
    check_hip(hip_library()->hipModuleGetFunction(&function, module, name.c_str()));
    return function;
}

}  // namespace

HipFunction HipKernels::function_of(const void* kernel) {
    const std::scoped_lock lock(mutex_);
    HipFunction& known = functions_[kernel];
    if (known != nullptr) return known;
    const ClangKernel compiled = clang_kernel(kernel);
    HipModule& module = modules_[compiled.bundle];
    if (module == nullptr) check_hip(hip_library()->hipModuleLoadData(&module, compiled.bundle));
    return known = function_in(module, compiled.name);
}

HipFunction HipKernels::function_of(const std::shared_ptr<const KernelText>& kernel) {
    {
        const std::scoped_lock lock(mutex_);
        if (const auto found = texts_.find(kernel); found != texts_.end()) return found->second.function;
    }
    const std::string code = compiled(kernel->text, hip_architecture(number_));
    const std::scoped_lock lock(mutex_);
    if (const auto found = texts_.find(kernel); found != texts_.end())
        return found->second.function;  // another thread was faster
    std::erase_if(texts_, [](const auto& each) {
        return each.first.expired() && hip_library()->hipModuleUnload(each.second.module) == hip_success;
    });
    LoadedText made{};
    check_hip(hip_library()->hipModuleLoadData(&made.module, code.data()));
    made.function = function_in(made.module, kernel->function);
    return texts_.emplace(kernel, made).first->second.function;
}

}  // namespace trellis
