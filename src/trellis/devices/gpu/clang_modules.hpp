// Kernels in this program that clang compiled. It registers them before main begins: each source has a bundle of
// modules, one for each kind of GPU, and each kernel a name in them, found by the address that the program has for the
// kernel.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace trellis {

struct ClangKernel {
    const std::byte* bundle;  // in the form of clang-offload-bundler, as HIP takes it
    std::string name;         // as clang mangles it
    bool launched = false;    // at least once, on any device

    // The module of SPIR-V; empty if the bundle has none.
    std::span<const std::uint32_t> spirv() const;
};

// The kernel that the program has at this address, which is about to be launched for the first time on a device. Throws
// std::runtime_error if there is no such kernel.
ClangKernel clang_kernel(const void* kernel);

// All kernels of the program, for checks that each of them has run.
std::vector<ClangKernel> clang_kernels();

}  // namespace trellis
