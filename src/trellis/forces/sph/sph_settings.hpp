// The settings of a gas.
#pragma once

#include <optional>
#include <variant>

#include "trellis/devices/devices.hpp"
#include "trellis/forces/short_range/short_range_force.hpp"
#include "trellis/forces/sph/equation_of_state.hpp"
#include "trellis/forces/sph/kernels/sph_kernels.hpp"
#include "trellis/forces/sph/viscosity.hpp"

namespace trellis {

enum class Smoothing { cubic_spline, wendland_c2, wendland_c4 };

// The speed of artificial conduction: by the difference of pressures, for a gas alone, or by that of velocities, for
// one that gravity or another force holds as well. See Hydro.
enum class Conduction { pressure, flow };

using ViscositySwitch = std::variant<ConstantViscosity, MorrisMonaghanViscosity, CullenDehnenViscosity>;

struct SphSettings {
    Smoothing kernel = Smoothing::wendland_c2;
    int dimensions = 3;      // 1, 2 or 3: along the other axes all particles are at the same place
    double neighbours = 64;  // see smoothing_length.hpp
    EquationOfState gas;
    ViscositySwitch viscosity = CullenDehnenViscosity();
    double conductivity = 1;  // strength of artificial conduction, which an isothermal gas has not: see Hydro
    Conduction conduction = Conduction::pressure;
    std::optional<SelfGravity> adaptive_softening;  // for the gravity that acts beside this force: see softening.hpp
    double courant = 0.3;                           // see time_step.hpp
    ShortRangeSettings search{.reuse_steps = 16};   // lists, precision and device
    // One device makes the neighbour lists a step ahead, while the host continues; none: the host makes them.
    Devices neighbours_device;
};

// Throws InputError for a setting out of its range.
void check(const SphSettings& settings);

}  // namespace trellis
