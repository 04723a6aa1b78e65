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
        const auto d = j[position] - i[position];
        const auto v = j[velocity] - i[velocity];
        const V r2 = dot(d, d), r_inverse = rsqrt(r2), r = r2 * r_inverse;
        const V g_i = i[force_weight] * gradient(i, r, r_inverse);
        const V g_j = j[force_weight] * gradient(j, r, r_inverse);

        const V v_d = dot(v, d), along = v_d * r_inverse, approach = max(V(-along), 0.0f);
        const V signal = i[sound_speed] + j[sound_speed] + 3.0f * approach;
        const V viscous = 0.125f * (i[viscosity] + j[viscosity]) * signal * approach;
        const V tension_i = g_i * (i[pressure] + viscous * i[density]);
        const V tension_j = g_j * (j[pressure] + viscous * j[density]);

        const V apart = i[pressure] - j[pressure], difference = max(apart, V(-apart));
        const V of_pressures = difference * rsqrt(V(difference * (0.5f * (i[density] + j[density]))));
        const V speed =
            (0.5f * conductivity.of_pressures) * of_pressures + (0.5f * conductivity.of_flow) * max(along, V(-along));
        const V conducted =
            speed * (r * (i[density] * g_i + j[density] * g_j)) * (i[internal_energy] - j[internal_energy]);

        sum[acceleration] += j[mass] * (tension_i + tension_j) * d;
        sum[internal_energy_rate] += j[mass] * (tension_i * v_d + conducted);
        sum[signal_speed].raise_to(signal);
    }

    TRELLIS_HOST_DEVICE void finish(const auto& i, auto& sum) const {
        using namespace fields;
        sum[signal_speed] = max(sum[signal_speed], 2 * i[sound_speed]);  // for a particle without neighbours
    }

  private:
    template <class V>
    TRELLIS_INLINE static V gradient(const auto& particle, const V& r, const V& r_inverse) {
        return Kernel::gradient(V(r * particle[fields::inverse_length]),
                                V(particle[fields::smoothing_length] * r_inverse));
    }
};

}  // namespace trellis
