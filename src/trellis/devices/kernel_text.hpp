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
// exp, log, sin, cos, atan2, erf, erfc, tanh and fabs have one name for floats and doubles in both.
//
// A kernel's parameters are the memories of a launch, as pointers, and then its constants, as a struct.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "trellis/devices/kernels.hpp"
#include "trellis/devices/memory_use.hpp"

namespace trellis {

inline constexpr std::size_t text_block_threads = 256;

struct KernelText {
    std::string text;
    std::string function;  // the kernel in it
    // The numbers of blocks for a launch with these constants; no launch if one is 0.
    std::array<std::size_t, 2> (*blocks)(std::span<const std::byte> constants);
    // The graph that it was made of (GraphKernel), which servers of devices take in place of the text; empty:
    // they cannot have it.
    std::vector<std::byte> graph = {};
    // The same on the processor; empty: it has none.
    std::function<void(const KernelCall&)> on_processor = {};
};

// Registers a kernel for devices that take texts, GPUs, and for the processor. It stays until the program ends; texts
// of one name are the same.
void register_kernel_text(const std::string& name, const std::shared_ptr<const KernelText>& text);

// The kernel of that name; null if it is unknown.
std::shared_ptr<const KernelText> find_kernel_text(std::string_view name);

// A kernel that this process makes of a graph: of data, which it checks, so that a client of a server may send them
// where it may send no text. What a graph is, forces know: forces/run_time/graphs. The other members: see
// KernelArguments.
struct GraphKernel {
    using Uses = std::function<void(std::span<const std::byte> constants, std::span<MemoryUse> uses)>;

    std::shared_ptr<const KernelText> text;
    std::size_t constants_bytes, memories;
    Uses uses;
};

// The bytes of a graph become a kernel, or an InputError that says why not.
using MakeGraphKernel = GraphKernel (*)(std::span<const std::byte> graph);

// Chooses what makes kernels of graphs in this process.
void provide_graph_kernels(MakeGraphKernel make);

// The kernel of a graph; one for all who hold it at the same time, and for some time after. Throws InputError.
std::shared_ptr<const GraphKernel> kernel_of_graph(std::span<const std::byte> graph);

// Why a launch would go beyond them: see excess_of in known_kernels.hpp.
std::string excess_of(const GraphKernel& taken, std::span<const std::byte> constants,
                      std::span<const std::uint64_t> memory_bytes);

}  // namespace trellis
