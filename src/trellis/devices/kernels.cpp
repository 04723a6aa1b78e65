#include "trellis/devices/kernels.hpp"

#include <functional>
#include <map>
#include <mutex>
#include <vector>

#include "trellis/devices/kernel_text.hpp"
#include "trellis/devices/known_kernels.hpp"

namespace trellis {

namespace {

struct Registry {
    std::mutex mutex;
    std::map<std::string, Kernel, std::less<>> kernels[3];
    std::map<std::string, KernelArguments, std::less<>> arguments;
};

Registry& registry() {
    static Registry all;
    return all;
}

template <class Arguments>
std::string launch_excess(const Arguments& taken, std::span<const std::byte> constants,
                          std::span<const std::uint64_t> memory_bytes) {
    if (constants.size() != taken.constants_bytes || memory_bytes.size() != taken.memories) {
        const auto text = [](std::size_t bytes, std::size_t memories) {
            return std::to_string(bytes) + " bytes of constants and " + std::to_string(memories) + " memories";
        };
        return "has " + text(constants.size(), memory_bytes.size()) + ": it takes " +
               text(taken.constants_bytes, taken.memories);
    }
    std::vector<MemoryUse> uses(taken.memories);
    taken.uses(constants, uses);
    for (std::size_t k = 0; k < uses.size(); ++k) {
        const bool absent = uses[k].optional && memory_bytes[k] == 0;
        if (uses[k].bytes == no_size) return "has constants that no launch may have";
        if (!absent && uses[k].bytes > memory_bytes[k])
            return "uses " + std::to_string(uses[k].bytes) + " bytes of its memory " + std::to_string(k + 1) +
                   ", which has " + std::to_string(memory_bytes[k]);
    }
    return "";
}

}  // namespace

void register_kernel(DeviceKind kind, const std::string& name, Kernel kernel) {
    const std::scoped_lock lock(registry().mutex);
    registry().kernels[static_cast<int>(kind)][name] = kernel;
}

void register_kernel(DeviceKind kind, const std::string& name, Kernel kernel, const KernelArguments& arguments) {
    register_kernel(kind, name, kernel);
    const std::scoped_lock lock(registry().mutex);
    registry().arguments[name] = arguments;
}

std::optional<KernelArguments> arguments_of(std::string_view name) {
    const std::scoped_lock lock(registry().mutex);
    const auto found = registry().arguments.find(name);
    return found == registry().arguments.end() ? std::nullopt : std::optional(found->second);
}

std::string excess_of(const KernelArguments& taken, std::span<const std::byte> constants,
                      std::span<const std::uint64_t> memory_bytes) {
    return launch_excess(taken, constants, memory_bytes);
}

std::string excess_of(const GraphKernel& taken, std::span<const std::byte> constants,
                      std::span<const std::uint64_t> memory_bytes) {
    return launch_excess(taken, constants, memory_bytes);
}

Kernel find_kernel(DeviceKind kind, std::string_view name) {
    const std::scoped_lock lock(registry().mutex);
    const auto& kernels = registry().kernels[static_cast<int>(kind)];
    const auto found = kernels.find(name);
    return found == kernels.end() ? nullptr : found->second;
}

void for_each_kernel(const TakeKnownKernel& take) {
    const std::scoped_lock lock(registry().mutex);
    for (const DeviceKind kind : {DeviceKind::cpu, DeviceKind::cuda, DeviceKind::clang})
        for (const auto& [name, kernel] : registry().kernels[static_cast<int>(kind)]) {
            const auto given = registry().arguments.find(name);
            take(kind, name, kernel, given == registry().arguments.end() ? nullptr : &given->second);
        }
}

}  // namespace trellis
