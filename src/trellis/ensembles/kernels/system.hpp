// One of many small systems, as devices and the host see it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

#include "trellis/base/vec.hpp"

namespace trellis {

// What keeps the temperature: nothing, friction and random kicks (integrate/langevin.hpp), or a chain of thermostats
// (integrate/nose_hoover.hpp); or what takes all kinetic energy in the end, a quench (system_quench.hpp), of which no
// account is kept.
enum class Bath : std::uint32_t { none, langevin, nose_hoover, quench };

// The longest chain of thermostats of a system.
inline constexpr std::size_t longest_chain = 8;

// A wall about the centre of mass: beyond the radius R, a particle has the energy stiffness (r - R)^2 / 2, whatever
// its mass. The forces on all of the system add up to zero.
struct Container {
    double radius = std::numeric_limits<double>::infinity();
    double stiffness = 0;
};

// The way to a minimum of the potential energy, where the largest force is at most the tolerance.
struct Quench {
    double tolerance = 0;
    double longest_move = 0;     // of a particle in a step
    double timestep = 0;         // of now; 0 before the first step and at the minimum
    double mixing = 0;           // how much velocities turn towards the forces
    std::uint64_t downhill = 0;  // steps since it rested
};

// A pressure on the box, which is held by Monte Carlo moves of the volume (system_volume.hpp).
struct Barostat {
    std::uint64_t every = 0;  // steps from move to move; 0: the box stays as it is
    double pressure = 0;      // energy / length^3
    double longest_move = 0;  // of ln V
    std::uint64_t seed = 0;
    std::uint64_t tried = 0, accepted = 0;
    std::uint64_t too_small = 0;  // 1 once a move would have led to a box of less than two cutoffs
};

// Its particles have the slots [first, first + count) of the columns of their device, and those up to first + slots are
// open; first and slots are multiples of system_slots.
struct System {
    std::uint64_t first = 0;
    std::uint32_t count = 0, slots = 0;
    Vec3<double> box{0, 0, 0};      // its sides, 0 along an axis without images; its lowest corner is the origin
    std::uint64_t hamiltonian = 0;  // the number of its interaction and of its container
    Container container = {};
    double timestep = 0;
    Bath bath = Bath::none;
    std::uint32_t chain = 0;  // members
    double temperature = 0;   // k T
    double relaxation_time = 0, freedom = 0;
    std::uint64_t seed = 0;

    std::uint64_t steps = 0;         // taken until now
    std::uint64_t forces_known = 0;  // 1 if the accelerations are those of the positions
    double potential = 0;            // energy, of the last forces
    Quench quench = {};
    Barostat barostat = {};
    double bath_energy = 0;  // taken by the bath, but for what the chain has
    double chain_position[longest_chain] = {}, chain_rate[longest_chain] = {};
};

// The energies of a system. Their sum is conserved, but for the errors of the steps: bath has what the thermostat has
// taken, and what changes of the temperature and of the velocities have added.
struct SystemEnergies {
    double potential = 0, kinetic = 0, bath = 0;
};

// Slots come in so many: as many as the widest vector of single precision has lanes.
inline constexpr std::size_t system_slots = 16;

// The columns of a device: these components, each with a value for every slot. Those that change come first. listed:
// the positions for which the lists of near particles were made, of a system that has such lists.
namespace system_columns {
inline constexpr std::size_t position = 0, velocity = 3, acceleration = 6, listed = 9, mass = 12, others = 13;
inline constexpr std::size_t changing = 12;
}  // namespace system_columns

// Systems of at least so many particles whose interaction has a cutoff have lists of near ones: of a smaller system,
// all parts are neighbours. Lists serve until a particle has moved by half of the skin, which is this share of the
// cutoff.
inline constexpr std::size_t least_listed = 400;
inline constexpr double skin_of_lists = 0.15;

// Before the steps of a call: a new temperature, a factor for the velocities, and Hamiltonian and pressure from then
// on.
struct SystemChange {
    double temperature = 0;
    double velocity_factor = 1;
    std::uint64_t hamiltonian = 0;
    double pressure = 0;
};

}  // namespace trellis
