#include "trellis/forces/short_range/device/provide_neighbours.hpp"

#include <tuple>

#include "trellis/forces/short_range/kernels/neighbour_blocks.hpp"

namespace trellis {

void provide_neighbours(const NeighbourKernels& interaction) {
    if (interaction.single_on_device.listed.on_processor == nullptr) return;  // its kernels are texts
    for (const NeighbourDeviceKernels* kernels : {&interaction.single_on_device, &interaction.double_on_device}) {
        const auto& [listed, masked] = std::tie(kernels->listed, kernels->masked);
        register_kernel(DeviceKind::cpu, neighbours_kernel(interaction.name, kernels->value_bytes), listed.on_processor,
                        listed.arguments);
        register_kernel(DeviceKind::cpu, masked_kernel(interaction.name, kernels->value_bytes), masked.on_processor,
                        masked.arguments);
        if (kernels->finish.launch != nullptr)
            register_kernel(DeviceKind::cpu, finish_kernel(interaction.name, kernels->value_bytes),
                            kernels->finish.on_processor, kernels->finish.arguments);
    }
}

}  // namespace trellis
