#include "trellis/devices/gpu/clang_modules.hpp"

#include <cstring>
#include <map>
#include <mutex>
#include <stdexcept>
#include <string_view>

namespace trellis {

namespace {

// As clang writes it: CGCUDANV.cpp of LLVM.
struct FatBinary {
    std::uint32_t magic, version;
    const std::byte* bundle;
    void* unused;
};

struct Registry {
    std::mutex mutex;
    std::map<const void*, ClangKernel> kernels;
};

Registry& registry() {
    static Registry all;
    return all;
}

std::uint64_t read_number(const std::byte*& from) {
    std::uint64_t number = 0;
    std::memcpy(&number, from, sizeof number);
    from += sizeof number;
    return number;
}

}  // namespace

// The form is that of ClangOffloadBundler.rst of LLVM; cmake/clang_kernels.cmake writes it.
std::span<const std::uint32_t> ClangKernel::spirv() const {
    const std::byte* next = bundle + std::string_view("__CLANG_OFFLOAD_BUNDLE__").size();
    for (std::uint64_t left = read_number(next); left > 0; --left) {
        const std::uint64_t offset = read_number(next), bytes = read_number(next), length = read_number(next);
        if (std::string_view(reinterpret_cast<const char*>(next), length).starts_with("hip-spirv64"))
            return {reinterpret_cast<const std::uint32_t*>(bundle + offset), bytes / sizeof(std::uint32_t)};
        next += length;
    }
    return {};
}

ClangKernel clang_kernel(const void* kernel) {
    const std::scoped_lock lock(registry().mutex);
    const auto found = registry().kernels.find(kernel);
    if (found == registry().kernels.end())
        throw std::runtime_error("a kernel that is launched was not compiled for it");
    found->second.launched = true;
    return found->second;
}

std::vector<ClangKernel> clang_kernels() {
    const std::scoped_lock lock(registry().mutex);
    std::vector<ClangKernel> all;
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
    return reinterpret_cast<void**>(const_cast<std::byte*>(binary->bundle));
}

void __hipUnregisterFatBinary(void**) {}

void __hipRegisterFunction(void** bundle, const void* kernel, char*, const char* name, unsigned, void*, void*, void*,
                           void*, int*) {
    const std::scoped_lock lock(trellis::registry().mutex);
    trellis::registry().kernels[kernel] = {reinterpret_cast<const std::byte*>(bundle), name};
}

// For launches by <<<...>>>, which no source has: launch_blocks of launch.cuh stands for them.
int __hipPopCallConfiguration(void*, void*, std::size_t*, void*) { return 1; }
int hipLaunchKernel(const void*, const void*, const void*, void**, std::size_t, void*) { return 1; }

#pragma GCC visibility pop

}  // extern "C"
// NOLINTEND(bugprone-reserved-identifier)
