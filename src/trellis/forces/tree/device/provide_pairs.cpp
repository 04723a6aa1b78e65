#include "trellis/forces/tree/device/provide_pairs.hpp"

#include "trellis/devices/known_kernels.hpp"
#include "trellis/forces/tree/device/expand_lists.hpp"
#include "trellis/forces/tree/expansions/multi_index.hpp"
#include "trellis/forces/tree/kernels/device_far_field.hpp"
#include "trellis/forces/tree/kernels/device_moments.hpp"
#include "trellis/forces/tree/kernels/device_pairs.hpp"
#include "trellis/forces/tree/kernels/expansion_steps.hpp"

namespace trellis {

namespace {

void expand_lists_uses(std::span<const std::byte> constants, std::span<MemoryUse> uses) {
    uses[0] = use_of<DeviceGroup>(KernelCall{constants, {}}.get<ListsCall>().group_count);
}

void provide_far_field(const InteractionKernels& interaction, const ForceKernels& kernels, int order) {
    const OrderKernels at_order = kernels.at_order(order);
    register_kernel(DeviceKind::cpu, locals_kernel(interaction.name, order, kernels.value_bytes), at_order.locals,
                    {sizeof(LocalsCall) + interaction.bytes, 4, at_order.locals_uses});
    register_kernel(DeviceKind::cpu, far_field_kernel(interaction.name, order, kernels.value_bytes), at_order.far_field,
                    {sizeof(FarFieldCall) + interaction.bytes, 10, at_order.far_field_uses});
}

template <class R>
void provide_moments(int order) {
    const ExpansionSteps<R> steps = expansion_steps<R>(order);
    register_kernel(DeviceKind::cpu, leaf_moments_kernel(order, sizeof(R)), steps.leaf_moments, steps.leaf_arguments);
    register_kernel(DeviceKind::cpu, parent_moments_kernel(order, sizeof(R)), steps.parent_moments,
                    steps.parent_arguments);
}

}  // namespace

void provide_pairs(const InteractionKernels& interaction) {
    register_kernel(DeviceKind::cpu, expand_lists_kernel, expand_lists, {sizeof(ListsCall), 3, expand_lists_uses});
    if (interaction.single_precision.pairs == nullptr) return;  // its kernels are texts
    for (const ForceKernels* kernels : {&interaction.single_precision, &interaction.double_precision}) {
        register_kernel(DeviceKind::cpu, pairs_kernel(interaction.name, kernels->value_bytes), kernels->pairs,
                        {sizeof(PairsCall) + interaction.bytes, 4, kernels->pairs_uses});
        for (int order = 2; interaction.expandable && order <= highest_order; ++order)
            provide_far_field(interaction, *kernels, order);
    }
    for (int order = 2; interaction.expandable && order <= highest_order; ++order) {
        provide_moments<float>(order);
        provide_moments<double>(order);
    }
}

}  // namespace trellis
