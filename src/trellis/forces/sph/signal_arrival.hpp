// The longest steps before which no signal from elsewhere arrives, for individual time steps of a gas.
//
// Courant's limit of a particle does not know of a blast that is on its way. Particle i may take a step of
//   min over j of   2 step_j + max(0, r_ij - h) / (c_i + c_j + w_ij)
// with step_j the step that j may take by itself, h the larger smoothing length, c half the signal speeds of both, and
// w_ij their relative velocity: neighbours' steps differ by a factor of two at most, and a particle farther away has
// the time that a signal needs (Springel 2010). So no particle is woken within its step. Saitoh & Makino (2009) have a
// factor of four, by which a blast has eleven times the error in energy at nine tenths of the updates (bench/notes).
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "trellis/lists/neighbours/neighbourhood.hpp"

namespace trellis {

struct SignalStep : Field<double, "signal_step", "time",
                          "step within which no signal crosses or reaches the particle; 0 if it is not known"> {};
namespace fields {
inline constexpr SignalStep signal_step;
}  // namespace fields

// Particles near each other that may send signals.
struct SignalSource {
    Extent bounds, velocities;
    double shortest;  // signal_step
    double speed;     // largest half of signal_speed
    double reach;     // largest smoothing length
};

inline SignalSource joined(const SignalSource& a, const SignalSource& b) {
    return {join(a.bounds, b.bounds), join(a.velocities, b.velocities), std::min(a.shortest, b.shortest),
            std::max(a.speed, b.speed), std::max(a.reach, b.reach)};
}

// The period of each axis; infinite where space is not periodic.
Vec3<double> periods_of(const Region& region);

// The longest step of particles in `target` that signals of `source` allow, in space of these periods.
double step_before_arrival(const SignalSource& target, const SignalSource& source, const Vec3<double>& periods);

class SignalArrival {
  public:
    // Reads position, velocity, smoothing_length and signal_speed, all of one time, and signal_step: what each particle
    // may take by itself. The lists and particles outlive it. Collective if the lists are.
    SignalArrival(const Neighbourhood& lists, const ParticleSet& particles);

    // Lowers signal_step of rows with a flag or, if there are no flags, of all.
    void lower_steps(ParticleSet& particles, std::span<const std::uint8_t> rows) const;

  private:
    // Particles of a block whose steps are lowered.
    struct Target {
        SignalSource all;  // of the block
        std::array<std::uint32_t, SearchTree::block_size> rows = {};
        std::size_t count = 0;  // of rows
        double longest = 0;     // of their steps
    };

    SignalSource source_of(std::uint32_t first, std::uint32_t count) const;
    std::vector<SignalSource> parts(std::size_t most) const;
    void gather_elsewhere(Comm& comm);
    SignalSource source_at(std::uint32_t row) const;
    std::span<const SignalSource> blocks_of(std::uint32_t leaf) const;
    void lower_block(const Cell& leaf, std::uint32_t block, const SignalSource& all, std::span<const std::uint8_t> rows,
                     std::span<double> steps) const;
    double allowed_by(const Target& target, const SignalSource& source) const;
    void lower_by_cell(Target& target, std::uint32_t cell, std::span<double> steps) const;
    void lower_by(Target& target, const SignalSource& source, std::span<double> steps) const;

    const Neighbourhood& lists_;
    Vec3<double> periods_;
    std::span<const Vec3<double>> positions_, velocities_;
    std::span<const double> lengths_, signal_speeds_, steps_;
    std::vector<SignalSource> blocks_;     // by block number, before steps are lowered
    std::vector<SignalSource> cells_;      // of the tree
    std::vector<SignalSource> elsewhere_;  // of other ranks
};

}  // namespace trellis
