#include "trellis/resident/kernels/kernels.hpp"

#include <typeinfo>

#include "trellis/devices/cpu_grid.hpp"
#include "trellis/forces/gravity/gravity_between_softenings.hpp"
#include "trellis/forces/gravity/gravity_kernel.hpp"
#include "trellis/forces/gravity/gravity_pairs.hpp"
#include "trellis/forces/tree/device/provide_pairs.hpp"
#include "trellis/resident/kernels/force_kernels.hpp"
#include "trellis/resident/kernels/list_kernels.hpp"
#include "trellis/resident/kernels/particle_kernels.hpp"
#include "trellis/resident/kernels/sort_and_scan.hpp"
#include "trellis/resident/kernels/tree_kernels.hpp"

namespace trellis {

void register_resident_kernels() {
    register_for_cpu(ParticleGridKernels{});
    register_for_cpu(TreeGridKernels{});
    register_for_cpu(ListGridKernels{});
    register_for_cpu(ForceGridKernels{});
    register_sort_and_scan();
    provide_pairs(TRELLIS_VARIANT(gravity_kernels)());
    provide_pairs(TRELLIS_VARIANT(gravity_between_softenings_kernels)());
    TRELLIS_CALL_FOR_GPUS(register_gravity_pairs());
    TRELLIS_CALL_FOR_GPUS(register_resident_kernels_for_gpus());
}

KernelPhases resident_kernel_phases() {
    KernelPhases phases{{sort_kernel, Phase::sort_key},
                        {scan_kernel_32, Phase::link_tree_cell},
                        {scan_kernel_64, Phase::make_interaction_list}};
    for (const char* gravity : {typeid(Gravity).name(), typeid(GravityBetweenSoftenings).name()})
        for (const std::size_t value : {sizeof(float), sizeof(double)})
            phases.emplace(pairs_kernel(gravity, value), Phase::force_kernel);
    ParticleGridKernels::add_phases(phases);
    TreeGridKernels::add_phases(phases);
    ListGridKernels::add_phases(phases);
    ForceGridKernels::add_phases(phases);
    return phases;
}

}  // namespace trellis
