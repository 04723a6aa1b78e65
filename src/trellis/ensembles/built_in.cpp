#include "trellis/ensembles/built_in.hpp"

#include "trellis/devices/known_kernels.hpp"
#include "trellis/ensembles/built_in_kernel.hpp"

namespace trellis {

SystemKernels built_in_systems(BuiltIn interaction) {
    switch (interaction) {
        case BuiltIn::gravity:
            return TRELLIS_VARIANT(systems_of_gravity)();
        case BuiltIn::lennard_jones:
            return TRELLIS_VARIANT(systems_of_lennard_jones)();
        case BuiltIn::no_pairs:
            break;
    }
    return TRELLIS_VARIANT(systems_without_pairs)();
}

void register_built_in_systems() {
    for (const BuiltIn each : {BuiltIn::no_pairs, BuiltIn::gravity, BuiltIn::lennard_jones}) {
        const SystemKernels kernels = built_in_systems(each);
        register_kernel(DeviceKind::cpu, kernels.name, kernels.on_cpu, {sizeof(SystemsCall), system_memories});
    }
}

}  // namespace trellis
