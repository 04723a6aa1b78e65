// Kernels for tests of devices: they multiply numbers, at once or after a pause, or fail.
#pragma once

#include <chrono>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>

#include "trellis/devices/device.hpp"
#include "trellis/devices/known_kernels.hpp"

namespace trellis {

struct Scaling {
    std::uint32_t count;
    float factor;
};

inline void scale(const KernelCall& call) {
    auto* values = reinterpret_cast<float*>(call.memory[0]);
    for (std::uint32_t k = 0; k < call.get<Scaling>().count; ++k) values[k] *= call.get<Scaling>().factor;
}

template <int milliseconds>
void sleep_then_scale(const KernelCall& call) {
    std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
    scale(call);
}

inline void explode(const KernelCall&) { throw std::runtime_error("it exploded"); }

inline void register_scaling_kernels() {
    constexpr auto uses = [](std::span<const std::byte> constants, std::span<MemoryUse> memory) {
        memory[0] = use_of<float>(KernelCall{constants, {}}.get<Scaling>().count);
    };
    constexpr KernelArguments scaling{sizeof(Scaling), 1, uses};
    register_kernel(DeviceKind::cpu, "scale", scale, scaling);
    register_kernel(DeviceKind::cpu, "sleep_then_scale", sleep_then_scale<20>, scaling);
    register_kernel(DeviceKind::cpu, "sleep_long_then_scale", sleep_then_scale<300>, scaling);
    register_kernel(DeviceKind::cpu, "explode", explode, scaling);
}

// Queues one of these kernels for the first `count` numbers of the memory.
inline void launch_scaling(Queue& queue, const char* kernel, const DeviceMemory& memory, std::size_t count,
                           float factor) {
    const Scaling constants{static_cast<std::uint32_t>(count), factor};
    const DeviceMemory* const all[] = {&memory};
    queue.launch(kernel, std::as_bytes(std::span(&constants, 1)), all);
}

// The message of the failure that waiting for the queue throws; empty if it does not throw.
inline std::string failure_of(Queue& queue) {
    try {
        queue.wait();
    } catch (const DeviceError& error) {
        return error.what();
    }
    return "";
}

}  // namespace trellis
