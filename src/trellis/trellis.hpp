// For programs that use forces: particles, the forces that Trellis has, simulations, devices. To write a force of your
// own, see trellis/compile.hpp.
#pragma once

#include "trellis/devices/remote/open.hpp"
#include "trellis/forces/decorators/among_types.hpp"
#include "trellis/forces/external/built_in_fields.hpp"
#include "trellis/forces/gravity/gravity_force.hpp"
#include "trellis/forces/molecules/lennard_jones_force.hpp"
#include "trellis/forces/sph/sph_force.hpp"
#include "trellis/integrate/thermostats/andersen.hpp"
#include "trellis/integrate/thermostats/csvr.hpp"
#include "trellis/integrate/thermostats/langevin.hpp"
#include "trellis/integrate/thermostats/nose_hoover.hpp"
#include "trellis/lists/neighbours/tables/nearest.hpp"
#include "trellis/lists/neighbours/tables/neighbours.hpp"
#include "trellis/resident/resident_simulation.hpp"
#include "trellis/run/measures/diagnostics.hpp"
#include "trellis/run/simulation.hpp"
