#include "trellis/devices/cuda/cuda_compiler.hpp"

#include <dlfcn.h>

#include <cstddef>
#include <optional>
#include <type_traits>

#include "trellis/base/error.hpp"

namespace trellis {

namespace {

// See kernel_text.hpp.
constexpr const char* cuda_definitions = R"(
#define KERNEL extern "C" __global__ __launch_bounds__(256)
#define FUNCTION static __device__ __forceinline__
#define GLOBAL
#define SHARED __shared__
#define TABLE static __device__ const
#define ALIGNED_16 __align__(16)
#define BLOCK_X blockIdx.x
#define BLOCK_Y blockIdx.y
#define THREAD threadIdx.x
#define BARRIER __syncthreads()
#define INFINITE __int_as_float(0x7f800000)
typedef unsigned int u32;
typedef unsigned long long u64;
FUNCTION double RSQRT_OF_POSITIVE(double x) { return rsqrt(x); }
FUNCTION float RSQRT_OF_POSITIVE(float x)
{
    float y;
    asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));  // rsqrtf has more instructions, for subnormal numbers
    return y;
}
)";

// Functions of NVRTC, as its documentation has them: a toolkit may be without nvrtc.h.
struct Nvrtc {
    using Handle = void*;
    int (*create)(Handle*, const char*, const char*, int, const char* const*, const char* const*) = nullptr;
    int (*compile)(Handle, int, const char* const*) = nullptr;
    int (*destroy)(Handle*) = nullptr;
    int (*code_bytes)(Handle, std::size_t*) = nullptr;
    int (*code)(Handle, char*) = nullptr;
    int (*log_bytes)(Handle, std::size_t*) = nullptr;
    int (*log)(Handle, char*) = nullptr;
    const char* (*error)(int) = nullptr;
};

// The name of the library of a toolkit has the number of its version.
void* opened_library() {
    void* library = dlopen("libnvrtc.so", RTLD_NOW | RTLD_LOCAL);
    for (int version = 16; library == nullptr && version >= 11; --version)
        library = dlopen(("libnvrtc.so." + std::to_string(version)).c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) library = dlopen("/usr/local/cuda/lib64/libnvrtc.so", RTLD_NOW | RTLD_LOCAL);
    return library;
}

std::optional<Nvrtc> loaded() {
    void* library = opened_library();  // it stays loaded until the program ends
    if (library == nullptr) return std::nullopt;
    Nvrtc found;
    bool complete = true;
    const auto find = [&](auto& function, const char* name) {
        function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
        complete = complete && function != nullptr;
    };
    find(found.create, "nvrtcCreateProgram");
    find(found.compile, "nvrtcCompileProgram");
    find(found.destroy, "nvrtcDestroyProgram");
    find(found.code_bytes, "nvrtcGetCUBINSize");
    find(found.code, "nvrtcGetCUBIN");
    find(found.log_bytes, "nvrtcGetProgramLogSize");
    find(found.log, "nvrtcGetProgramLog");
    find(found.error, "nvrtcGetErrorString");
    if (!complete) return std::nullopt;
    return found;
}

const Nvrtc* nvrtc() {
    static const std::optional<Nvrtc> library = loaded();
    return library ? &*library : nullptr;
}

// A text that is compiled.
class Program {
  public:
    explicit Program(const std::string& text) {
        check(nvrtc()->create(&handle_, text.c_str(), "interaction", 0, nullptr, nullptr));
    }
    ~Program() { nvrtc()->destroy(&handle_); }
    Program(const Program&) = delete;
    Program& operator=(const Program&) = delete;

    void compile(const std::string& architecture) {
        const char* const options[] = {architecture.c_str()};
        if (nvrtc()->compile(handle_, 1, options) == 0) return;
        const std::string log = text(nvrtc()->log_bytes, nvrtc()->log);
        throw RunError("NVRTC: " + log.substr(0, log.find('\n')));
    }
    std::string machine_code() { return text(nvrtc()->code_bytes, nvrtc()->code); }

  private:
    static void check(int result) {
        if (result != 0) throw RunError(std::string("NVRTC: ") + nvrtc()->error(result));
    }
    std::string text(int (*size)(Nvrtc::Handle, std::size_t*), int (*read)(Nvrtc::Handle, char*)) {
        std::size_t bytes = 0;
        check(size(handle_, &bytes));
        std::string all(bytes, '\0');
        check(read(handle_, all.data()));
        return all;
    }

    Nvrtc::Handle handle_ = nullptr;
};

}  // namespace

bool has_cuda_compiler() { return nvrtc() != nullptr; }

std::string compiled_for_cuda(const std::string& text, int major, int minor) {
    if (!has_cuda_compiler())
        throw RunError("interactions that are compiled at run time need libnvrtc.so of the CUDA toolkit");
    Program program(cuda_definitions + text);
    program.compile("--gpu-architecture=sm_" + std::to_string(major) + std::to_string(minor));
    return program.machine_code();
}

}  // namespace trellis
