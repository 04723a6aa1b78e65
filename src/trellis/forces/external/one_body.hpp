// A one-body force as a user writes it: what a field does to one particle, as in the textbook.
//
//     struct Trap {
//         using Target = Fields<Position>;                         // what a particle brings, its position first
//         using Result = Fields<Acceleration, ExternalPotential>;  // what the field gives it
//         double k;
//         TRELLIS_HOST_DEVICE void operator()(const auto& i, auto& sum) const {
//             sum[acceleration] -= k * i[position];
//             sum[external_potential] += 0.5 * k * dot(i[position], i[position]);
//         }
//     };
//
// Values are doubles, on the host as on GPUs, one particle at a time: `if` and the functions of <cmath> are
// allowed. i[position] is, in a periodic box, the image within the box; i[velocity] is that at the time of the
// position. ExternalPotential is per mass, and counts in full in the energy: see run/measures/diagnostics.hpp.
//
// Optional members:
//   Trap at(double time) const   the field at that time, if it changes; called once a step
//   void check() const           throws InputError for members that cannot be used
#pragma once

#include <concepts>
#include <string>
#include <typeinfo>

#include "trellis/forces/interaction.hpp"

namespace trellis {

template <class F>
concept ChangesWithTime = requires(const F& formula) {
    { formula.at(0.0) } -> std::same_as<F>;
};

// The formula at a time.
template <class F>
F at_time(const F& formula, double time) {
    if constexpr (ChangesWithTime<F>)
        return formula.at(time);
    else
        return formula;
}

// True if particles that stay on a device have all fields that the formula reads and adds to.
template <class F>
inline constexpr bool suits_device = std::is_same_v<typename F::Target, Fields<Position>> &&
                                     std::is_same_v<typename F::Result, Fields<Acceleration, ExternalPotential>>;

// The name of a formula's kernel on devices.
template <class F>
std::string field_kernel() {
    return std::string("external.") + typeid(F).name();
}

}  // namespace trellis
