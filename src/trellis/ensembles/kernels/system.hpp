// One of many small systems, as devices and the host store it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

#include "trellis/base/vec.hpp"
#include "trellis/integrate/barostats/barostat.hpp"

namespace trellis {

// Keeps the temperature (integrate/thermostats): not at all, by friction and random kicks, by a chain of thermostats,
// by random factors of all velocities, or by collisions with a bath. A quench (system_quench.hpp) removes all kinetic
// energy, of which no account is kept.
enum class Bath : std::uint32_t { none, langevin, nose_hoover, quench, csvr, andersen };

// The longest chain of thermostats of a system.
inline constexpr std::size_t longest_chain = 8;

// A wall about the centre of mass: beyond the radius R, a particle has the energy stiffness (r - R)^2 / 2, whatever its
// mass. The forces on the system add up to zero.
struct Container {
    double radius = std::numeric_limits<double>::infinity();
    double stiffness = 0;
};

// The descent to a minimum of the potential energy, where the largest force is at most the tolerance.
struct Quench {
    double tolerance = 0;
    double longest_move = 0;     // longest move of a particle in a step
    double timestep = 0;         // present one; 0 before the first step and at the minimum
    double mixing = 0;           // share of the velocities that turns towards the forces
    std::uint64_t downhill = 0;  // steps since the velocities were last set to 0
};

// Its particles have the slots [first, first + count) of the columns of their device; those up to first + slots are
// open. first and slots are multiples of system_slots.
struct System {
    std::uint64_t first = 0;
    std::uint32_t count = 0, slots = 0;
    Vec3<double> box{0, 0, 0};      // sides, 0 along an axis without images; the lowest corner is the origin
    std::uint64_t hamiltonian = 0;  // number of its interaction and its container
    std::uint64_t reference = 0;    // number of the particle to which positions are relative in single precision
    Container container = {};
    double timestep = 0;
    Bath bath = Bath::none;
    std::uint32_t chain = 0;  // members
    double temperature = 0;   // k T
    double relaxation_time = 0;
    double freedom = 0;  // degrees of freedom of the motion relative to the centre of mass
    std::uint64_t seed = 0;

    std::uint64_t steps = 0;         // steps taken until now
    std::uint64_t forces_known = 0;  // 1 if the accelerations are those of the positions
    std::uint64_t too_long = 0;      // number, from 1, of the step that was too long, before which it stands; or 0
    double potential = 0;            // potential energy, with the last forces
    Quench quench = {};
    Barostat barostat = {};
    std::uint64_t too_small = 0;  // 1 once a move of the volume would have led to a side below two cutoffs
    double bath_energy = 0;       // energy that the bath has taken, without the chain's own
    double chain_position[longest_chain] = {}, chain_rate[longest_chain] = {};
};

// The energies of a system. Their sum is conserved, but for the errors of the steps: bath is the energy that the
// thermostat has taken, and that changes of the temperature and of the velocities have added.
struct SystemEnergies {
    double potential = 0, kinetic = 0, bath = 0;
};

// Slots are allotted in multiples of this number, the lanes of the widest vector of single precision.
inline constexpr std::size_t system_slots = 16;

// The columns of a device by the numbers of their components, each with a value for every slot; changing ones first.
// listed: the positions for which the lists of near particles were made, of a system that has such lists.
namespace system_columns {
inline constexpr std::size_t position = 0, velocity = 3, acceleration = 6, listed = 9, mass = 12, others = 13;
inline constexpr std::size_t changing = 12;
}  // namespace system_columns

// Systems of at least least_listed particles whose interaction has a cutoff have lists of near particles; in a smaller
// system all parts are near. Lists serve until a particle has moved by half of the skin; skin_of_lists is the skin over
// the cutoff.
inline constexpr std::size_t least_listed = 400;
inline constexpr double skin_of_lists = 0.15;

// Changes before the steps of a call: a temperature, a factor of the velocities, and Hamiltonian and pressure from then
// on.
struct SystemChange {
    double temperature = 0;
    double velocity_factor = 1;
    std::uint64_t hamiltonian = 0;
    double pressure = 0;
};

}  // namespace trellis
