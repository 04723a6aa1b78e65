// Pressure and artificial dissipation: acceleration and heating of a gas.
#pragma once

#include <type_traits>

#include "trellis/forces/short_range.hpp"
#include "trellis/forces/sph/kernels/fields.hpp"
#include "trellis/forces/sph/kernels/smoothing_kernel.hpp"

namespace trellis {

// norm h^-(d + 2) / (omega rho^2): times (dw/dq) / q and the vector r, it is the gradient of W(r, h) / (omega rho^2).
inline double force_weight_of(const SmoothingShape& shape, double h, double rho, double omega) {
    return shape.norm / (power(h, shape.dimensions + 2) * omega * rho * rho);
}

// Strengths alpha_u of artificial conduction.
struct Conductivity {
    float of_pressures = 1, of_flow = 0;
};

// Pressure and viscosity between i and j: see Hydro.
template <class V, class Vector>
struct Tensions {
    Vector d;                      // from i to j
    V r, v_d, along;               // v_d = v_ij . r_ij = along r
    V g_i, g_j, signal, t_i, t_j;  // G, v_sig, T

    TRELLIS_INLINE void accelerate(const auto& j, auto& sum) const {
        sum[fields::acceleration] += j[fields::mass] * (t_i + t_j) * d;
        sum[fields::signal_speed].raise_to(signal);
    }
};

template <class Kernel, class V>
TRELLIS_INLINE V gradient(const auto& particle, const V& r, const V& r_inverse) {
    return Kernel::gradient(V(r * particle[fields::inverse_length]), V(particle[fields::smoothing_length] * r_inverse));
}

template <class Kernel>
TRELLIS_INLINE auto tensions_of(const auto& i, const auto& j) {
    using namespace fields;
    using V = std::remove_cvref_t<decltype(j[mass])>;
    const auto d = j[position] - i[position];
    const auto v = j[velocity] - i[velocity];
    const V r2 = dot(d, d), r_inverse = rsqrt(r2), r = r2 * r_inverse;
    const V g_i = i[force_weight] * gradient<Kernel>(i, r, r_inverse);
    const V g_j = j[force_weight] * gradient<Kernel>(j, r, r_inverse);

    const V v_d = dot(v, d), along = v_d * r_inverse, approach = max(V(-along), 0.0f);
    const V signal = i[sound_speed] + j[sound_speed] + 3.0f * approach;
    const V viscous = 0.125f * (i[viscosity] + j[viscosity]) * signal * approach;
    const V t_i = g_i * (i[pressure] + viscous * i[density]), t_j = g_j * (j[pressure] + viscous * j[density]);
    return Tensions<V, std::remove_const_t<decltype(d)>>{d, r, v_d, along, g_i, g_j, signal, t_i, t_j};
}

// The equations of motion that follow from the Lagrangian of a gas with h(rho) (Springel & Hernquist 2002, Price 2012):
//   dv_i/dt = -sum m_j (T_i + T_j) r_ij,   du_i/dt = sum m_j T_i v_ij . r_ij,
//   T_i = (P_i + rho_i S) G_i,   G_i r_ij = grad W(r_ij, h_i) / (omega_i rho_i^2),
// with artificial viscosity where i and j approach at speed w = -v_ij . r_ij / r,
//   S = alpha_ij v_sig w / 4,   v_sig = c_i + c_j + 3 w (Monaghan 1997, with the 3 of Springel 2005),   alpha_ij =
//   (alpha_i + alpha_j) / 2,
// written into both terms of the pressure as by Price et al. (2018, section 2.2.3); for equal densities it is
// Monaghan's. Artificial conductivity:
//   du_i/dt = sum m_j alpha_u v_u (u_i - u_j) r (rho_i G_i + rho_j G_j) / 2,
// where pressures differ, v_u^2 = 2 |P_i - P_j| / (rho_i + rho_j) (Price 2008), or where particles approach or part,
// v_u = |v_ij . r_ij| / r (Wadsley et al. 2008). The first does not know that gravity, or another force, may hold the
// difference of the pressures, and carries heat out of a gas at rest.
// Forces on i and j are opposite, and the energy of the pair is conserved.
template <class Kernel>
struct Hydro {
    using Target = Fields<Position, SmoothingLength, InverseLength, Velocity, Density, Pressure, SoundSpeed,
                          InternalEnergy, Viscosity, ForceWeight>;
    using Source = Fields<Position, Mass, SmoothingLength, InverseLength, Velocity, Density, Pressure, SoundSpeed,
                          InternalEnergy, Viscosity, ForceWeight>;
    using Result = Fields<Acceleration, InternalEnergyRate>;
    using Maximum = Fields<SignalSpeed>;
    using Evolves = Rates<InternalEnergy, InternalEnergyRate>;
    using Search = Symmetric<SmoothingLength>;

    Conductivity conductivity;

    TRELLIS_INLINE void operator()(const auto& i, const auto& j, auto& sum) const {
        using namespace fields;
        using V = std::remove_cvref_t<decltype(j[mass])>;
        const auto pair = tensions_of<Kernel>(i, j);
        const V apart = i[pressure] - j[pressure], difference = max(apart, V(-apart));
        const V of_pressures = difference * rsqrt(V(difference * (0.5f * (i[density] + j[density]))));
        const V speed = (0.5f * conductivity.of_pressures) * of_pressures +
                        (0.5f * conductivity.of_flow) * max(pair.along, V(-pair.along));
        const V conducted = speed * (pair.r * (i[density] * pair.g_i + j[density] * pair.g_j)) *
                            (i[internal_energy] - j[internal_energy]);
        pair.accelerate(j, sum);
        sum[internal_energy_rate] += j[mass] * (pair.t_i * pair.v_d + conducted);
    }

    TRELLIS_HOST_DEVICE void finish(const auto& i, auto& sum) const {
        using namespace fields;
        sum[signal_speed] = max(sum[signal_speed], 2 * i[sound_speed]);  // for a particle without neighbours
    }
};

// The same acceleration without heating, for a gas whose pressure depends on its density alone.
template <class Kernel>
struct BarotropicHydro {
    using Target = Fields<Position, SmoothingLength, InverseLength, Velocity, Density, Pressure, SoundSpeed, Viscosity,
                          ForceWeight>;
    using Source = Fields<Position, Mass, SmoothingLength, InverseLength, Velocity, Density, Pressure, SoundSpeed,
                          Viscosity, ForceWeight>;
    using Result = Fields<Acceleration>;
    using Maximum = Fields<SignalSpeed>;
    using Search = Symmetric<SmoothingLength>;

    TRELLIS_INLINE void operator()(const auto& i, const auto& j, auto& sum) const {
        tensions_of<Kernel>(i, j).accelerate(j, sum);
    }

    TRELLIS_HOST_DEVICE void finish(const auto& i, auto& sum) const { Hydro<Kernel>().finish(i, sum); }
};

}  // namespace trellis
