// Kernels as text, which a device's driver compiles when they are launched for the first time: those of interactions
// that are compiled at run time.
//
// The text is C without anything that OpenCL C and CUDA lack, and calls by these names what the two call differently;
// each kind of device puts its definitions in front of the text:
//
//     KERNEL void name(...)        a kernel, run by blocks of text_block_threads threads
//     FUNCTION                     in front of any other function
//     GLOBAL, SHARED               memory of the device, in front of what a pointer points to; memory of a block
//     TABLE                        in front of an array outside functions, whose values do not change
//     ALIGNED_16                   behind the word struct: aligned to 16 bytes
//     BLOCK_X, BLOCK_Y, THREAD     the number of the block in either direction, of the thread in its block
//     BARRIER                      waits for all threads of the block
//     u32, u64                     whole numbers of that many bits
//     INFINITE                     an infinite number
//     RSQRT_OF_POSITIVE(x)         1 / sqrt(x) of a number above 0 that is not subnormal
//
// exp, log, sin, cos, atan2 and fabs have one name for floats and doubles in both.
//
// A kernel's parameters are the memories of a launch, as pointers, and then its constants, as a struct.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace trellis {

inline constexpr std::size_t text_block_threads = 256;

struct KernelText {
    std::string text;
    std::string function;  // the kernel in it
    // The numbers of blocks for a launch with these constants; no launch if one is 0.
    std::array<std::size_t, 2> (*blocks)(std::span<const std::byte> constants);
};

// Registers a kernel for devices that take texts: GPUs. It stays until the program ends; texts of one name are the
// same.
void register_kernel_text(const std::string& name, const KernelText& text);

// The kernel of that name, which stays where it is; null if it is unknown.
const KernelText* find_kernel_text(std::string_view name);

}  // namespace trellis
