#include "trellis/devices/cuda/cuda_texts.hpp"

#include <dlfcn.h>

#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "trellis/devices/cuda/cuda_compiler.hpp"

namespace trellis {

namespace {

// Functions of the driver, which is there wherever there is a GPU.
struct Driver {
    decltype(&cuModuleLoadData) load = nullptr;
    decltype(&cuModuleUnload) unload = nullptr;
    decltype(&cuModuleGetFunction) find = nullptr;
    decltype(&cuLaunchKernel) launch = nullptr;

    Driver() {
        void* library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
        if (library == nullptr) throw std::runtime_error("there is no libcuda.so.1 of a driver");
        const auto put = [&](auto& function, const char* name) {
            function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
            if (function == nullptr) throw std::runtime_error(std::string("libcuda.so.1 has no ") + name);
        };
        put(load, "cuModuleLoadData");
        put(unload, "cuModuleUnload");
        put(find, "cuModuleGetFunction");
        put(launch, "cuLaunchKernel");
    }
};

const Driver& driver() {
    static const Driver all;
    return all;
}

void check(CUresult result, const char* what) {
    if (result != CUDA_SUCCESS)
        throw std::runtime_error(std::string(what) + " failed: error " + std::to_string(result) + " of the driver");
}

}  // namespace

void CudaTexts::launch(CUstream stream, const std::shared_ptr<const KernelText>& kernel,
                       std::span<const std::byte> constants, std::span<std::byte* const> memory) {
    const auto blocks = kernel->blocks(constants);
    if (blocks[0] * blocks[1] == 0) return;
    compile(kernel);
    const CUfunction function = [&] {
        const std::scoped_lock lock(mutex_);
        return loaded_.at(kernel).function;
    }();
    std::vector<std::byte*> addresses(memory.begin(), memory.end());
    std::vector<void*> arguments;
    for (std::byte*& address : addresses) arguments.push_back(static_cast<void*>(&address));
    arguments.push_back(const_cast<std::byte*>(constants.data()));
    check(driver().launch(function, static_cast<unsigned>(blocks[0]), static_cast<unsigned>(blocks[1]), 1,
                          text_block_threads, 1, 1, 0, stream, arguments.data(), nullptr),
          "the launch of a kernel");
}

void CudaTexts::compile(const std::shared_ptr<const KernelText>& kernel) {
    {
        const std::scoped_lock lock(mutex_);
        if (loaded_.contains(kernel)) return;
    }
    const std::string code = compiled_for_cuda(kernel->text, major_, minor_);
    const std::scoped_lock lock(mutex_);
    if (loaded_.contains(kernel)) return;  // another thread was faster
    std::erase_if(loaded_, [](const auto& each) {
        return each.first.expired() && driver().unload(each.second.module) == CUDA_SUCCESS;
    });
    Loaded made;
    check(driver().load(&made.module, code.data()), "loading a kernel");
    check(driver().find(&made.function, made.module, kernel->function.c_str()), "finding a kernel");
    loaded_.emplace(kernel, made);
}

}  // namespace trellis
