// For a library with interactions of your own, which `trellis serve --kernels` loads. One of its sources has, outside
// of all functions,
//
//     TRELLIS_PROVIDE_KERNELS(MyForce, MyField)
//
// The library links to Trellis, of the same version as the server. Kernels for GPUs are compiled in a .cu source of it,
// as in a program (docs/write_an_interaction.md).
#pragma once

#include "trellis/devices/known_kernels.hpp"
#include "trellis/ensembles/kernels/make_system_kernels.hpp"
#include "trellis/ensembles/provide_systems.hpp"
#include "trellis/forces/external/compiled_field.hpp"
#include "trellis/forces/external/one_body_check.hpp"
#include "trellis/forces/interaction.hpp"
#include "trellis/forces/short_range.hpp"
#include "trellis/forces/short_range/device/provide_neighbours.hpp"
#include "trellis/forces/short_range/kernels/make_neighbour_kernels.hpp"
#include "trellis/forces/tree/device/provide_pairs.hpp"
#include "trellis/forces/tree/kernels/make_kernels.hpp"
#include "trellis/forces/user_checks/interaction_check.hpp"

namespace trellis {

// Takes a kernel of a library: the number of its DeviceKind, its name, the kernel, and its arguments, or null.
using TakeKernel = void (*)(int kind, const char* name, Kernel kernel, const KernelArguments* arguments);

// Passes all kernels that this library has registered to `take`, if `version`, that of the program, equals its own.
// Returns the version of this library.
const char* hand_over_kernels(const char* version, TakeKernel take);

// Registers the kernels of an interaction (forces/interaction.hpp, forces/short_range.hpp), for forces and for the
// systems of an ensemble, or of a field that acts on each particle alone (forces/external/one_body.hpp).
template <class I>
void provide_kernels_of() {
    if constexpr (!requires { typename I::Source; })
        static_cast<void>(check_one_body<I>());
    else if constexpr (check_fields<I>())
        static_cast<void>(check_formula<I>());
    if constexpr (suits_systems<I>()) provide_systems(make_system_kernels<I>());
    if constexpr (ShortRange<I>)
        provide_neighbours(make_neighbour_kernels<I>());
    else if constexpr (Interaction<I>)
        provide_pairs(make_kernels<I>());
    else
        register_for_cpu_as<FieldGrid<I>>(field_kernel<I>());
}

template <class... Interactions>
void provide_kernels_of_all() {
    (provide_kernels_of<Interactions>(), ...);
}

}  // namespace trellis

// The one function that such a library exports.
#define TRELLIS_PROVIDE_KERNELS(...)                                                                          \
    extern "C" __attribute__((visibility("default"))) const char* trellis_kernels(const char* version,        \
                                                                                  trellis::TakeKernel take) { \
        trellis::provide_kernels_of_all<__VA_ARGS__>();                                                       \
        return trellis::hand_over_kernels(version, take);                                                     \
    }
