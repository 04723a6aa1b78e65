#include "trellis/ensembles/built_in.hpp"

#include "trellis/ensembles/built_in_kernel.hpp"
#include "trellis/ensembles/provide_systems.hpp"
#include "trellis/ensembles/staged/stages.hpp"
#include "trellis/ensembles/staged/traced_pair.hpp"
#include "trellis/forces/gravity/gravity.hpp"
#include "trellis/forces/molecules/lennard_jones.hpp"

namespace trellis {

namespace {

template <class I>
SystemKernels with_graph(SystemKernels kernels) {
    kernels.by_graph = [](const void* interaction) { return traced_pair(*static_cast<const I*>(interaction)); };
    return kernels;
}

}  // namespace

SystemKernels built_in_systems(BuiltIn interaction) {
    TRELLIS_CALL_FOR_GPUS(register_systems_for_gpus());
    switch (interaction) {
        case BuiltIn::gravity:
            return with_graph<Gravity>(TRELLIS_VARIANT(systems_of_gravity)());
        case BuiltIn::lennard_jones:
            return with_graph<LennardJones>(TRELLIS_VARIANT(systems_of_lennard_jones)());
        case BuiltIn::no_pairs:
            break;
    }
    return with_graph<NoPairs>(TRELLIS_VARIANT(systems_without_pairs)());
}

void register_built_in_systems() {
    for (const BuiltIn each : {BuiltIn::no_pairs, BuiltIn::gravity, BuiltIn::lennard_jones})
        provide_systems(built_in_systems(each));
    provide_stages();
}

}  // namespace trellis
