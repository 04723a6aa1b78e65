#include "trellis/devices/hip/hip_library.hpp"

#include <dlfcn.h>

#include <array>
#include <optional>
#include <stdexcept>

namespace trellis {

namespace {

template <class Function>
bool find(void* library, Function& function, const char* name) {
    function = reinterpret_cast<Function>(dlsym(library, name));
    return function != nullptr;
}

std::optional<Hip> loaded() {
    void* library = nullptr;  // it stays loaded until the program ends
    for (const char* name : {"libamdhip64.so", "libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5"})
        if (library == nullptr) library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) return std::nullopt;
    Hip found;
    bool complete = true;
#define TRELLIS_HIP_FIND(result, name, parameters) complete = find(library, found.name, #name) && complete;
    TRELLIS_HIP_FUNCTIONS(TRELLIS_HIP_FIND)
#undef TRELLIS_HIP_FIND
    const bool known = find(library, found.properties_6, "hipGetDevicePropertiesR0600") ||
                       find(library, found.properties_5, "hipGetDeviceProperties");
    if (!complete || !known) return std::nullopt;
    return found;
}

}  // namespace

const Hip* hip_library() {
    static const std::optional<Hip> library = loaded();
    return library ? &*library : nullptr;
}

void check_hip(int error) {
    if (error == hip_success) return;
    throw std::runtime_error(std::string(hip_library()->hipGetErrorString(error)) + " (" +
                             hip_library()->hipGetErrorName(error) + ")");
}

// HIP has the architecture nowhere but in a struct, gcnArchName, which lies elsewhere since version 6.
std::string hip_architecture(int number) {
    const bool of_6 = hip_library()->properties_6 != nullptr;
    alignas(16) std::array<char, 4096> properties{};
    check_hip((of_6 ? hip_library()->properties_6 : hip_library()->properties_5)(properties.data(), number));
    return properties.data() + (of_6 ? 1160 : 396);
}

}  // namespace trellis
