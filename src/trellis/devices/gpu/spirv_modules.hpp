// Kernels of SPIR-V in this program. clang registers them before main begins: each source that it compiles has a module
// of SPIR-V, and each kernel of it a name there, found by the address that the program has for the kernel.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace trellis {

struct SpirvKernel {
    std::span<const std::uint32_t> module;
    std::string name;
};

// The kernel that the program has at this address. Throws std::runtime_error if there is no such kernel.
SpirvKernel spirv_kernel(const void* kernel);

}  // namespace trellis
