// The pressure of a gas.
#pragma once

#include <cmath>

namespace trellis {

struct IdealGas {
    double gamma = 5.0 / 3;  // ratio of specific heats, above 1

    double pressure(double rho, double u) const { return (gamma - 1) * rho * u; }
    double sound_speed(double u) const { return std::sqrt(gamma * (gamma - 1) * u); }
};

}  // namespace trellis
