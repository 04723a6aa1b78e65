// Kernels of SPIR-V in this program. clang registers them before main begins: each source that it compiles has a module
// of SPIR-V, and each kernel of it a name there, found by the address that the program has for the kernel.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace trellis {

struct SpirvKernel {
    std::span<const std::uint32_t> module;
    std::string name;       // as clang mangles it
    bool launched = false;  // at least once, on any device
};

// The kernel that the program has at this address, which is about to be launched for the first time on a device. Throws
// std::runtime_error if there is no such kernel.
SpirvKernel spirv_kernel(const void* kernel);

// All kernels of the program, for checks that each of them has run.
std::vector<SpirvKernel> spirv_kernels();

}  // namespace trellis
