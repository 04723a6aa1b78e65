#include "trellis/resident/kernels/kernels.hpp"

#include <typeinfo>

#include "trellis/devices/cpu_grid.hpp"
#include "trellis/forces/gravity/gravity_between_softenings.hpp"
#include "trellis/forces/gravity/gravity_kernel.hpp"
#include "trellis/forces/gravity/gravity_pairs.hpp"
#include "trellis/forces/tree/device/provide_pairs.hpp"
#include "trellis/resident/kernels/expansion_kernels.hpp"
#include "trellis/resident/kernels/force_kernels.hpp"
#include "trellis/resident/kernels/list_kernels.hpp"
#include "trellis/resident/kernels/particle_kernels.hpp"
#include "trellis/resident/kernels/short_range_kernels.hpp"
#include "trellis/resident/kernels/sort_and_scan.hpp"
#include "trellis/resident/kernels/tree_kernels.hpp"

namespace trellis {

namespace {

constexpr std::size_t precisions[] = {sizeof(float), sizeof(double)};

void add_phases_of(const char* gravity, KernelPhases& phases) {
    for (const std::size_t value_bytes : precisions) {
        phases.emplace(pairs_kernel(gravity, value_bytes), Phase::force_kernel);
        for (int order = 2; order <= highest_order; ++order) {
            phases.emplace(locals_kernel(gravity, order, value_bytes), Phase::force_kernel);
            phases.emplace(far_field_kernel(gravity, order, value_bytes), Phase::force_kernel);
        }
    }
}

void add_phases_of_moments(KernelPhases& phases) {
    for (const std::size_t value_bytes : precisions)
        for (int order = 2; order <= highest_order; ++order) {
            phases.emplace(leaf_moments_kernel(order, value_bytes), Phase::calculate_moments);
            phases.emplace(parent_moments_kernel(order, value_bytes), Phase::calculate_moments);
        }
}

}  // namespace

void register_resident_kernels() {
    register_for_cpu(ParticleGridKernels{});
    register_for_cpu(TreeGridKernels{});
    register_for_cpu(ListGridKernels{});
    register_for_cpu(ForceGridKernels{});
    register_for_cpu(ExpansionGridKernels{});
    register_for_cpu(ShortRangeGridKernels{});
    register_sort_and_scan();
    provide_pairs(TRELLIS_VARIANT(gravity_kernels)());
    provide_pairs(TRELLIS_VARIANT(gravity_between_softenings_kernels)());
    TRELLIS_CALL_FOR_GPUS(register_gravity_pairs());
    TRELLIS_CALL_FOR_GPUS(register_gravity_far_field());
    TRELLIS_CALL_FOR_GPUS(register_resident_kernels_for_gpus());
}

KernelPhases resident_kernel_phases() {
    KernelPhases phases{{sort_kernel, Phase::sort_key},
                        {scan_kernel_32, Phase::link_tree_cell},
                        {scan_kernel_64, Phase::make_interaction_list},
                        {expand_lists_kernel, Phase::copy_list}};
    add_phases_of(typeid(Gravity).name(), phases);
    add_phases_of(typeid(GravityBetweenSoftenings).name(), phases);
    add_phases_of_moments(phases);
    ParticleGridKernels::add_phases(phases);
    TreeGridKernels::add_phases(phases);
    ListGridKernels::add_phases(phases);
    ForceGridKernels::add_phases(phases);
    ExpansionGridKernels::add_phases(phases);
    ShortRangeGridKernels::add_phases(phases);
    return phases;
}

}  // namespace trellis
