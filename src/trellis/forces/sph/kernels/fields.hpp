// The fields of a gas. Units are those of three dimensions.
#pragma once

#include "trellis/particles/field.hpp"

namespace trellis {

struct SmoothingLength : Field<double, "smoothing_length", "length", "radius of the smoothing kernel's support"> {};
struct NeighbourNumber
    : Field<double, "neighbour_number", "", "particles within the smoothing length, without itself"> {};
struct Density : Field<double, "density", "mass / length^3", "density"> {};
struct DensitySlope
    : Field<double, "density_slope", "mass / length^4", "derivative of the density by the smoothing length"> {};
struct DensityCurvature : Field<double, "density_curvature", "mass / length^5",
                                "second derivative of the density by the smoothing length"> {};
struct InternalEnergy : Field<double, "internal_energy", "length^2 / time^2", "internal energy of a unit of mass"> {};
struct InternalEnergyRate
    : Field<double, "internal_energy_rate", "length^2 / time^3", "time derivative of the internal energy"> {};
struct IsothermalEnergy : Field<double, "isothermal_energy", "length^2 / time^2",
                                "c^2 ln(density) of an isothermal gas: see equation_of_state.hpp"> {};
struct Pressure : Field<double, "pressure", "mass / (length time^2)", "pressure"> {};
struct SoundSpeed : Field<double, "sound_speed", "length / time", "speed of sound"> {};
struct SignalSpeed : Field<double, "signal_speed", "length / time",
                           "largest speed at which neighbours and a particle near each other"> {};
struct VelocityDivergence : Field<double, "velocity_divergence", "1 / time", "divergence of the velocity"> {};
struct VelocityCurl : Field<Vec3<double>, "velocity_curl", "1 / time", "curl of the velocity"> {};
struct Viscosity : Field<double, "viscosity", "", "strength alpha of the artificial viscosity"> {};

// Functions of smoothing length and density that pairs read, computed once for each particle.
struct InverseLength : Field<double, "inverse_smoothing_length", "1 / length", "1 / smoothing length"> {};
struct ForceWeight
    : Field<double, "force_weight", "length / mass^2", "what pressure is multiplied with: see hydro.hpp"> {};
struct PotentialSlope : Field<double, "potential_slope", "mass / length^2",
                              "derivative of the potential by the smoothing length, over -G: see softening.hpp"> {};
struct SofteningWeight
    : Field<double, "softening_weight", "1 / length^3", "how that acts as the density changes: see softening.hpp"> {};

namespace fields {
inline constexpr SmoothingLength smoothing_length;
inline constexpr NeighbourNumber neighbour_number;
inline constexpr Density density;
inline constexpr DensitySlope density_slope;
inline constexpr DensityCurvature density_curvature;
inline constexpr InternalEnergy internal_energy;
inline constexpr InternalEnergyRate internal_energy_rate;
inline constexpr IsothermalEnergy isothermal_energy;
inline constexpr Pressure pressure;
inline constexpr SoundSpeed sound_speed;
inline constexpr SignalSpeed signal_speed;
inline constexpr VelocityDivergence velocity_divergence;
inline constexpr VelocityCurl velocity_curl;
inline constexpr Viscosity viscosity;
inline constexpr InverseLength inverse_length;
inline constexpr ForceWeight force_weight;
inline constexpr PotentialSlope potential_slope;
inline constexpr SofteningWeight softening_weight;
}  // namespace fields

}  // namespace trellis
