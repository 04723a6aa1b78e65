#include "trellis/devices/gpu/run_time_compiler.hpp"

#include <dlfcn.h>

#include <cstddef>
#include <type_traits>
#include <utility>

#include "trellis/base/error.hpp"

namespace trellis {

const char* const words_of_cuda = R"(
#define KERNEL extern "C" __global__ __launch_bounds__(256)
#define FUNCTION static __device__ __forceinline__
#define GLOBAL
#define SHARED __shared__
#define TABLE static __device__ const
#define BLOCK_X blockIdx.x
#define BLOCK_Y blockIdx.y
#define THREAD threadIdx.x
#define BARRIER __syncthreads()
typedef unsigned int u32;
typedef unsigned long long u64;
)";

// A text that is compiled.
class RunTimeCompiler::Program {
  public:
    Program(const RunTimeCompiler& with, const std::string& text) : with_(with) {
        with_.check(with_.create_(&handle_, text.c_str(), "interaction", 0, nullptr, nullptr));
    }
    ~Program() { with_.destroy_(&handle_); }
    Program(const Program&) = delete;
    Program& operator=(const Program&) = delete;

    void compile(const std::string& option) {
        const char* const options[] = {option.c_str()};
        if (with_.compile_(handle_, 1, options) == 0) return;
        const std::string log = text(with_.log_bytes_, with_.log_);
        throw RunError(with_.name_ + ": " + log.substr(0, log.find('\n')));
    }
    std::string machine_code() { return text(with_.code_bytes_, with_.code_); }

  private:
    std::string text(int (*size)(void*, std::size_t*), int (*read)(void*, char*)) {
        std::size_t bytes = 0;
        with_.check(size(handle_, &bytes));
        std::string all(bytes, '\0');
        with_.check(read(handle_, all.data()));
        return all;
    }

    const RunTimeCompiler& with_;
    void* handle_ = nullptr;
};

RunTimeCompiler::RunTimeCompiler(std::string name, std::initializer_list<std::string> libraries,
                                 const std::string& prefix, const std::string& code)
    : name_(std::move(name)) {
    void* library = nullptr;  // it stays loaded until the program ends
    for (const std::string& each : libraries)
        if (library == nullptr) library = dlopen(each.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) return;
    bool complete = true;
    const auto find = [&](auto& function, const std::string& end) {
        if (complete)
            function =
                reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, (prefix + end).c_str()));
        complete = complete && function != nullptr;
    };
    find(create_, "CreateProgram");
    find(compile_, "CompileProgram");
    find(destroy_, "DestroyProgram");
    find(code_bytes_, code + "Size");
    find(code_, code);
    find(log_bytes_, "GetProgramLogSize");
    find(log_, "GetProgramLog");
    find(error_, "GetErrorString");
}

std::string RunTimeCompiler::compiled(const std::string& text, const std::string& option) const {
    Program program(*this, text);
    program.compile(option);
    return program.machine_code();
}

void RunTimeCompiler::check(int result) const {
    if (result != 0) throw RunError(name_ + ": " + error_(result));
}

}  // namespace trellis
