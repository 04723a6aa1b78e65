#include "trellis/forces/tree/device/batches/far_targets.hpp"

#include <cstring>

#include "trellis/forces/tree/device/batches/staged_upload.hpp"
#include "trellis/forces/tree/kernels/device_pairs.hpp"

namespace trellis {

void FarTargets::send(const std::shared_ptr<Device>& device, Queue& queue, const FarLists& lists) {
    count_ = static_cast<std::uint32_t>(lists.targets.size());
    upload_staged(device, queue, staged_targets_, targets_, std::as_bytes(std::span(lists.targets)));
    upload_staged(device, queue, staged_lists_, lists_, std::as_bytes(std::span(lists.cells)));
}

static_assert(sizeof(LocalsCall) == sizeof(PairsCall) && sizeof(FarFieldCall) == sizeof(PairsCall),
              "the interaction stands at the same place in the constants of each kernel");

void FarTargets::make_locals(Queue& queue, const BatchKernel& kernel, const DeviceMemory& cells) const {
    if (count_ == 0) return;
    std::vector<std::byte> constants = kernel.constants;
    const LocalsCall call{count_};
    std::memcpy(constants.data(), &call, sizeof call);
    const DeviceMemory* const memory[] = {&cells, &targets_, &lists_, &locals_};
    queue.launch(kernel.locals, constants, memory);
}

}  // namespace trellis
