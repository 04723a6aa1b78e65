#include "trellis/forces/short_range/device/provide_neighbours.hpp"

#include "trellis/forces/short_range/kernels/neighbour_blocks.hpp"

namespace trellis {

void provide_neighbours(const NeighbourKernels& interaction) {
    if (interaction.single_on_device.on_processor == nullptr) return;  // its kernels are texts
    for (const NeighbourDeviceKernels* kernels : {&interaction.single_on_device, &interaction.double_on_device})
        register_kernel(DeviceKind::cpu, neighbours_kernel(interaction.name, kernels->value_bytes),
                        kernels->on_processor, kernels->arguments);
}

}  // namespace trellis
