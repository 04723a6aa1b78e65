// Kernels on a GPU of AMD: those of the program, and texts (kernel_text.hpp).
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>

#include "trellis/devices/hip/hip_library.hpp"
#include "trellis/devices/kernel_text.hpp"

namespace trellis {

// The kernels that were loaded for one GPU, which is the current device in all calls; those of texts as long as these
// are there. Any thread may call. Throws std::runtime_error with the driver's message.
class HipKernels {
  public:
    explicit HipKernels(int number) : number_(number) {}

    // The kernel that the program has at this address (clang_modules.hpp).
    HipFunction function_of(const void* kernel);
    // The kernel of a text, which is compiled for the first call.
    HipFunction function_of(const std::shared_ptr<const KernelText>& kernel);

  private:
    struct LoadedText {
        HipModule module;
        HipFunction function;
    };

    const int number_;
    std::mutex mutex_;
    std::map<const std::byte*, HipModule> modules_;  // by their bundles
    std::map<const void*, HipFunction> functions_;
    std::map<std::weak_ptr<const KernelText>, LoadedText, std::owner_less<>> texts_;
};

}  // namespace trellis
