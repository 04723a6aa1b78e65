#include "trellis/forces/tree/device/batches/far_targets.hpp"

#include <cstring>

#include "trellis/forces/tree/kernels/device_pairs.hpp"

namespace trellis {

FarPlaces FarTargets::stage(const std::shared_ptr<Device>& device, const FarCounts& counts) {
    count_ = static_cast<std::uint32_t>(counts.targets);
    return {targets_.stage<FarTarget>(device, counts.targets), nullptr,
            lists_.stage<std::uint32_t>(device, counts.cells)};
}

void FarTargets::send(Queue& queue) const {
    targets_.send(queue);
    lists_.send(queue);
}

static_assert(sizeof(LocalsCall) == sizeof(PairsCall) && sizeof(FarFieldCall) == sizeof(PairsCall),
              "the interaction stands at the same place in the constants of each kernel");

void FarTargets::make_locals(Queue& queue, const BatchKernel& kernel, const DeviceMemory& cells) const {
    if (count_ == 0) return;
    std::vector<std::byte> constants = kernel.constants;
    const LocalsCall call{count_};
    std::memcpy(constants.data(), &call, sizeof call);
    const DeviceMemory* const memory[] = {&cells, &targets(), &lists(), &locals_};
    queue.launch(kernel.locals, constants, memory);
}

}  // namespace trellis
