// The pressure of a gas.
#pragma once

#include <cmath>
#include <variant>

namespace trellis {

struct IdealGas {
    double gamma = 5.0 / 3;  // ratio of specific heats, above 1

    double pressure(double rho, double u) const { return (gamma - 1) * rho * u; }
    double sound_speed(double u) const { return std::sqrt(gamma * (gamma - 1) * u); }
};

// A gas of one temperature: sound travels at the same speed c everywhere, P = c^2 rho. It takes heat from a bath, and
// gives it; without shocks the sum of kinetic energy and m c^2 ln(rho) is conserved, since P / rho^2 = d(energy) /
// drho.
struct IsothermalGas {
    double sound_speed = 1;  // above 0

    double pressure(double rho) const { return sound_speed * sound_speed * rho; }
    double energy(double rho) const { return sound_speed * sound_speed * std::log(rho); }  // of a unit of mass
};

using EquationOfState = std::variant<IdealGas, IsothermalGas>;

}  // namespace trellis
