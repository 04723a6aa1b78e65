// Bundles of modules as clang-offload-bundler makes them, and the code objects of AMD's GPUs in them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hip_stand_in {

// The module whose name begins so; empty if the bundle has no such module, or is not a bundle.
std::span<const std::byte> module_of(const std::byte* bundle, std::string_view name);

// Data of a kernel in a code object. Arguments without those that AMD's driver adds.
struct KernelFacts {
    struct Argument {
        std::uint64_t bytes;
        bool pointer;
    };
    std::vector<Argument> arguments;
    std::uint64_t most_threads, shared_bytes;  // of a block; bytes without those that a launch adds
};

// The kernels of a code object by name. Throws std::runtime_error if it has no such data.
std::map<std::string, KernelFacts> kernels_of(std::span<const std::byte> code_object);

}  // namespace hip_stand_in
