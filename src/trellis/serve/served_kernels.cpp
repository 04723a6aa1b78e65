#include "trellis/serve/served_kernels.hpp"

#include "trellis/devices/kernel_text.hpp"
#include "trellis/ensembles/built_in.hpp"
#include "trellis/forces/external/built_in_fields.hpp"
#include "trellis/forces/external/compiled_field.hpp"
#include "trellis/forces/external/flattened.hpp"
#include "trellis/forces/external/rotating_bar.hpp"
#include "trellis/forces/external/spheres.hpp"
#include "trellis/forces/external/uniform.hpp"
#include "trellis/forces/gravity/gravity_kernel.hpp"
#include "trellis/forces/gravity/gravity_pairs.hpp"
#include "trellis/forces/gravity/tides_pairs.hpp"
#include "trellis/forces/molecules/lennard_jones_kernel.hpp"
#include "trellis/forces/molecules/lennard_jones_neighbours.hpp"
#include "trellis/forces/molecules/mixture_kernel.hpp"
#include "trellis/forces/run_time/far_field/far_launch.hpp"
#include "trellis/forces/short_range/device/provide_neighbours.hpp"
#include "trellis/forces/sph/kernels/hydro.hpp"
#include "trellis/forces/sph/kernels/sph_kernels.hpp"
#include "trellis/forces/sph/kernels/sph_neighbours.hpp"
#include "trellis/forces/tree/device/provide_pairs.hpp"
#include "trellis/forces/tree_mesh/kernels/gpu_within_cutoff.hpp"
#include "trellis/forces/tree_mesh/kernels/tree_mesh_coulomb_kernel.hpp"
#include "trellis/forces/tree_mesh/kernels/tree_mesh_kernel.hpp"
#include "trellis/grape/kernels/kernels.hpp"
#include "trellis/lists/neighbours/device/list_kernels.hpp"
#include "trellis/resident/kernels/kernels.hpp"
#include "trellis/resident/kernels/leapfrog_kernels.hpp"

namespace trellis {

namespace {

void provide_gravity() {
    provide_pairs(TRELLIS_VARIANT(gravity_kernels)());
    provide_pairs(TRELLIS_VARIANT(gravity_between_softenings_kernels)());
    provide_pairs(TRELLIS_VARIANT(tides_kernels)());
    provide_pairs(TRELLIS_VARIANT(tides_between_softenings_kernels)());
    TRELLIS_CALL_FOR_GPUS(register_gravity_pairs());
    TRELLIS_CALL_FOR_GPUS(register_gravity_far_field());
    TRELLIS_CALL_FOR_GPUS(register_tides_pairs());
}

void provide_tree_mesh() {
    provide_pairs(TRELLIS_VARIANT(s2_tree_kernels)());
    provide_pairs(TRELLIS_VARIANT(s2_between_softenings_kernels)());
    provide_pairs(TRELLIS_VARIANT(s2_coulomb_kernels)());
    TRELLIS_CALL_FOR_GPUS(register_gravity_within_cutoff());
    TRELLIS_CALL_FOR_GPUS(register_between_softenings_within_cutoff());
    TRELLIS_CALL_FOR_GPUS(register_coulomb_within_cutoff());
}

void provide_sph() {
    for (int dimensions = 1; dimensions <= 3; ++dimensions)
        for (const auto kernels_of : {TRELLIS_VARIANT(cubic_spline_kernels), TRELLIS_VARIANT(wendland_c2_kernels),
                                      TRELLIS_VARIANT(wendland_c4_kernels)}) {
            const SphKernels all = kernels_of(dimensions, Conductivity(), SelfGravity{1});
            for (const CompiledPairs* pairs : {&all.density, &all.velocity_gradient, &all.hydro, &all.barotropic_hydro,
                                               &all.potential_slope, &all.softening})
                if (pairs->interaction != nullptr) provide_neighbours(pairs->kernels);
        }
    TRELLIS_CALL_FOR_GPUS(register_sph_neighbours());
}

// Kernels of fields depend on their types alone.
template <class... Fields>
void provide_fields() {
    (register_for_cpu_as<FieldGrid<Fields>>(field_kernel<Fields>()), ...);
    TRELLIS_CALL_FOR_GPUS(register_built_in_fields());
}

}  // namespace

void provide_kernels() {
    provide_gravity();
    provide_tree_mesh();
    provide_neighbours(TRELLIS_VARIANT(lennard_jones_kernels)());
    for (const Truncation truncation :
         {Truncation::plain, Truncation::energy_shifted, Truncation::force_shifted, Truncation::switched})
        provide_neighbours(TRELLIS_VARIANT(mixture_kernels)(truncation));
    TRELLIS_CALL_FOR_GPUS(register_lennard_jones_neighbours());
    provide_sph();
    using namespace external;
    provide_fields<PointMass, UniformField, Plummer, Nfw, LogarithmicHalo, MiyamotoNagai, HarmonicTrap, MeanDensity,
                   RotatingBar>();
    register_list_kernels();
    register_resident_kernels();
    register_leapfrog_kernels();
    register_grape_kernels();
    register_built_in_systems();
    provide_graph_kernels(graph_kernel);
}

}  // namespace trellis
