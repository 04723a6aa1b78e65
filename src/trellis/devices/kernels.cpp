#include "trellis/devices/kernels.hpp"

#include <functional>
#include <map>
#include <mutex>

#include "trellis/devices/known_kernels.hpp"

namespace trellis {

namespace {

struct Registry {
    std::mutex mutex;
    std::map<std::string, Kernel, std::less<>> kernels[2];
    std::map<std::string, KernelArguments, std::less<>> arguments;
};

Registry& registry() {
    static Registry all;
    return all;
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

Kernel find_kernel(DeviceKind kind, std::string_view name) {
    const std::scoped_lock lock(registry().mutex);
    const auto& kernels = registry().kernels[static_cast<int>(kind)];
    const auto found = kernels.find(name);
    return found == kernels.end() ? nullptr : found->second;
}

void for_each_kernel(const TakeKnownKernel& take) {
    const std::scoped_lock lock(registry().mutex);
    for (const DeviceKind kind : {DeviceKind::cpu, DeviceKind::cuda})
        for (const auto& [name, kernel] : registry().kernels[static_cast<int>(kind)]) {
            const auto given = registry().arguments.find(name);
            take(kind, name, kernel, given == registry().arguments.end() ? nullptr : &given->second);
        }
}

}  // namespace trellis
