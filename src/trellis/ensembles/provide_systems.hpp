// Registers the steps of systems on the processor by name.
#pragma once

#include "trellis/devices/known_kernels.hpp"
#include "trellis/ensembles/kernels/system_kernels.hpp"

namespace trellis {

inline void provide_systems(const SystemKernels& interaction) {
    if (interaction.uses == nullptr)
        register_kernel(DeviceKind::cpu, interaction.name, interaction.on_cpu);
    else
        register_kernel(DeviceKind::cpu, interaction.name, interaction.on_cpu,
                        {sizeof(SystemsCall), system_memories, interaction.uses});
}

}  // namespace trellis
