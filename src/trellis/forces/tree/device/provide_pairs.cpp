#include "trellis/forces/tree/device/provide_pairs.hpp"

#include "trellis/devices/known_kernels.hpp"
#include "trellis/forces/tree/device/expand_lists.hpp"
#include "trellis/forces/tree/kernels/device_pairs.hpp"

namespace trellis {

namespace {

void expand_lists_uses(std::span<const std::byte> constants, std::span<MemoryUse> uses) {
    uses[0] = use_of<DeviceGroup>(KernelCall{constants, {}}.get<ListsCall>().group_count);
}

}  // namespace

void provide_pairs(const InteractionKernels& interaction) {
    register_kernel(DeviceKind::cpu, expand_lists_kernel, expand_lists, {sizeof(ListsCall), 3, expand_lists_uses});
    for (const ForceKernels* kernels : {&interaction.single_precision, &interaction.double_precision})
        register_kernel(DeviceKind::cpu, pairs_kernel(interaction.name, kernels->value_bytes), kernels->pairs,
                        {sizeof(PairsCall) + interaction.bytes, 4, kernels->pairs_uses});
}

}  // namespace trellis
