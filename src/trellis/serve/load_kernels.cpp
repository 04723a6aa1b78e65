#include "trellis/serve/load_kernels.hpp"

#include <dlfcn.h>

#include <string>
#include <string_view>

#include "trellis/base/error.hpp"
#include "trellis/devices/known_kernels.hpp"
#include "trellis/forces/tree/kernels/device_pairs.hpp"
#include "trellis/serve/own_kernels.hpp"

namespace trellis {

namespace {

// Kernels of several interactions would replace each other if they had the same name; the kernel that expands lists is
// the same in all libraries.
void take(int kind, const char* name, Kernel kernel, const KernelArguments* arguments) {
    const auto of_kind = static_cast<DeviceKind>(kind);
    if (find_kernel(of_kind, name) == nullptr)
        return arguments == nullptr ? register_kernel(of_kind, name, kernel)
                                    : register_kernel(of_kind, name, kernel, *arguments);
    if (std::string_view(name) != expand_lists_kernel)
        throw InputError("the kernel '" + std::string(name) +
                         "' is registered already: allowed is one interaction of that name, in one library");
}

}  // namespace

const char* hand_over_kernels(const char* version, TakeKernel take) {
    if (std::string_view(version) == TRELLIS_VERSION)
        for_each_kernel(
            [take](DeviceKind kind, const std::string& name, Kernel kernel, const KernelArguments* arguments) {
                take(static_cast<int>(kind), name.c_str(), kernel, arguments);
            });
    return TRELLIS_VERSION;
}

// An absolute path, so that dlopen does not search the system's library folders.
void load_kernels(const std::filesystem::path& library) {
    void* loaded = dlopen(std::filesystem::absolute(library).c_str(), RTLD_NOW | RTLD_LOCAL);
    if (loaded == nullptr)
        throw InputError("the library of kernels " + library.string() + " cannot be loaded: " + dlerror());
    const auto provide = reinterpret_cast<const char* (*)(const char*, TakeKernel)>(dlsym(loaded, "trellis_kernels"));
    if (provide == nullptr)
        throw InputError(library.string() +
                         " provides no kernels: allowed is a library with TRELLIS_PROVIDE_KERNELS"
                         " (trellis/serve/own_kernels.hpp)");
    if (const std::string version = provide(TRELLIS_VERSION, take); version != TRELLIS_VERSION)
        throw InputError("the library of kernels " + library.string() + " was built against Trellis " + version +
                         ", the server has " TRELLIS_VERSION ": both need the same version");
}

}  // namespace trellis
