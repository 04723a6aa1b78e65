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

Kernel find_kernel(DeviceKind kind, std::string_view name) {
    const std::scoped_lock lock(registry().mutex);
    const auto& kernels = registry().kernels[static_cast<int>(kind)];
    const auto found = kernels.find(name);
    return found == kernels.end() ? nullptr : found->second;
}

void for_each_kernel(const std::function<void(DeviceKind kind, const std::string& name, Kernel kernel)>& take) {
    const std::scoped_lock lock(registry().mutex);
    for (const DeviceKind kind : {DeviceKind::cpu, DeviceKind::cuda})
        for (const auto& [name, kernel] : registry().kernels[static_cast<int>(kind)]) take(kind, name, kernel);
}

}  // namespace trellis
