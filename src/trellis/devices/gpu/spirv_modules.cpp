#include "trellis/devices/gpu/spirv_modules.hpp"

#include <map>
#include <mutex>
#include <stdexcept>

namespace trellis {

namespace {

// As clang writes it: CGCUDANV.cpp of LLVM.
struct FatBinary {
    std::uint32_t magic, version;
    const std::uint32_t* content;
    void* unused;
};

struct Registry {
    std::mutex mutex;
    std::map<const void*, SpirvKernel> kernels;
};

Registry& registry() {
    static Registry all;
    return all;
}

// An instruction has its number of words in the upper half of its first word; CMake writes a word of zeros behind the
// last one.
std::span<const std::uint32_t> module_at(const std::uint32_t* words) {
    constexpr std::size_t header = 5;
    std::size_t count = header;
    while (words[count] >> 16 != 0) count += words[count] >> 16;
    return {words, count};
}

}  // namespace

SpirvKernel spirv_kernel(const void* kernel) {
    const std::scoped_lock lock(registry().mutex);
    const auto found = registry().kernels.find(kernel);
    if (found == registry().kernels.end()) throw std::runtime_error("a kernel that is launched has no SPIR-V");
    found->second.launched = true;
    return found->second;
}

std::vector<SpirvKernel> spirv_kernels() {
    const std::scoped_lock lock(registry().mutex);
    std::vector<SpirvKernel> all;
    for (const auto& [address, kernel] : registry().kernels) all.push_back(kernel);
    return all;
}

}  // namespace trellis

// Functions that clang calls for each source. HIP's own library, which another part of the program may load, does not
// see these.
// NOLINTBEGIN(bugprone-reserved-identifier): the names are clang's
extern "C" {

#pragma GCC visibility push(hidden)

void** __hipRegisterFatBinary(const trellis::FatBinary* binary) {
    return reinterpret_cast<void**>(const_cast<std::uint32_t*>(binary->content));
}

void __hipUnregisterFatBinary(void**) {}

void __hipRegisterFunction(void** module, const void* kernel, char*, const char* name, unsigned, void*, void*, void*,
                           void*, int*) {
    const auto* words = reinterpret_cast<const std::uint32_t*>(module);
    const std::scoped_lock lock(trellis::registry().mutex);
    trellis::registry().kernels[kernel] = {trellis::module_at(words), name};
}

// For launches by <<<...>>>, which no source has: launch_blocks of launch.cuh stands for them.
int __hipPopCallConfiguration(void*, void*, std::size_t*, void*) { return 1; }
int hipLaunchKernel(const void*, const void*, const void*, void**, std::size_t, void*) { return 1; }

#pragma GCC visibility pop

}  // extern "C"
// NOLINTEND(bugprone-reserved-identifier)
