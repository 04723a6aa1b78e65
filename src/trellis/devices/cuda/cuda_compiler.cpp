#include "trellis/devices/cuda/cuda_compiler.hpp"

#include "trellis/base/error.hpp"
#include "trellis/devices/gpu/run_time_compiler.hpp"

namespace trellis {

namespace {

// See kernel_text.hpp.
constexpr const char* words_of_nvidia = R"(
#define ALIGNED_16 __align__(16)
#define INFINITE __int_as_float(0x7f800000)
FUNCTION double RSQRT_OF_POSITIVE(double x) { return rsqrt(x); }
FUNCTION float RSQRT_OF_POSITIVE(float x)
{
    float y;
    asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));  // rsqrtf has more instructions, for subnormal numbers
    return y;
}
)";

// The name of the library of a toolkit has the number of its version.
const RunTimeCompiler& nvrtc() {
    static const RunTimeCompiler library(
        "NVRTC",
        {"libnvrtc.so", "libnvrtc.so.16", "libnvrtc.so.15", "libnvrtc.so.14", "libnvrtc.so.13", "libnvrtc.so.12",
         "libnvrtc.so.11", "/usr/local/cuda/lib64/libnvrtc.so"},
        "nvrtc", "GetCUBIN");
    return library;
}

}  // namespace

bool has_cuda_compiler() { return nvrtc().there(); }

std::string compiled_for_cuda(const std::string& text, int major, int minor) {
    if (!has_cuda_compiler())
        throw RunError("interactions that are compiled at run time need libnvrtc.so of the CUDA toolkit");
    return nvrtc().compiled(std::string(words_of_cuda) + words_of_nvidia + text,
                            "--gpu-architecture=sm_" + std::to_string(major) + std::to_string(minor));
}

}  // namespace trellis
