// The calls of Remote-GRAPE, as grape3.h describes them, with errors as exceptions and numbers of particles from 0.
// Source: Nakasato, Mori & Nomoto 1997, section 3.2 and 4.2.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <span>

#include "trellis/base/error.hpp"
#include "trellis/grape/board.hpp"

namespace trellis {

// There are more neighbours than an array has room for.
class TooManyNeighbours : public InputError {
    using InputError::InputError;
};

// One board, on the first device of TRELLIS_GRAPE_DEVICE. Throws InputError for numbers out of range and for calls in a
// wrong order. Several threads may call, one after the other: results stay valid until the next call.
class Grape3 {
  public:
    static constexpr int gravity = 1, gravity_and_neighbours = 2, neighbours_alone = 3;  // modes

    // Only checks the scales: no result depends on them.
    static void check_scales(double length, double mass);

    void set_softening2(double softening2);
    // The number of particles; those that were never written are undefined.
    void set_count(int count);
    void write_position(int j, const Vec3<double>& position);
    void write_mass(int j, double mass);
    void write_positions(std::span<const Vec3<double>> positions);
    void write_masses(std::span<const double> masses);
    void write_radii(std::span<const double> radii);

    // The forces of all particles on these i-particles.
    std::span<const GrapeForce> forces_on(std::span<const Vec3<double>> positions);

    // Starts forces or neighbours, or both, of particles among particles.
    void start(GrapeRange targets, GrapeRange sources, int mode);
    // Waits until they have been computed.
    void wait();
    // The i-particles of the last start, and the results for each. forces() and neighbours() wait.
    GrapeRange targets() const { return targets_; }
    std::span<const GrapeForce> forces();
    GrapeNeighbours neighbours();
    // Throws InputError unless there are count particles.
    void check_count(int count) const;

  private:
    GrapeBoard& board();
    void set_size(std::size_t count);

    std::unique_ptr<GrapeBoard> board_;
    double softening_ = 0;
    std::size_t count_ = 0;
    GrapeRange targets_;
    bool has_forces_ = false, has_neighbours_ = false;
};

// The board of this process, and the mutex for its calls.
struct SharedGrape3 {
    std::mutex mutex;
    Grape3 calls;
};
SharedGrape3& grape3();

}  // namespace trellis
