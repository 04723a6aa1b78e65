#include "trellis/ensembles/built_in.hpp"

#include "trellis/ensembles/built_in_kernel.hpp"
#include "trellis/ensembles/provide_systems.hpp"
#include "trellis/ensembles/staged/stages.hpp"

namespace trellis {

SystemKernels built_in_systems(BuiltIn interaction) {
    TRELLIS_CALL_FOR_GPUS(register_systems_for_gpus());
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
    for (const BuiltIn each : {BuiltIn::no_pairs, BuiltIn::gravity, BuiltIn::lennard_jones})
        provide_systems(built_in_systems(each));
    provide_stages();
}

}  // namespace trellis
