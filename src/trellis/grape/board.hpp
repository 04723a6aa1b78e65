// A GRAPE board: particles in the memory of a device, and direct summation over them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "trellis/devices/device.hpp"
#include "trellis/grape/kernels/kernels.hpp"
#include "trellis/grape/mirrored.hpp"
#include "trellis/grape/reach.hpp"

namespace trellis {

// The particles [first, first + count).
struct GrapeRange {
    std::size_t first = 0, count = 0;
};

// The neighbours of each i-particle of a range, by number from 0: those of particle k of the range are found[begins[k]]
// to found[begins[k + 1] - 1], in ascending order.
struct GrapeNeighbours {
    std::span<const std::uint64_t> begins;
    std::span<const std::uint32_t> found;
};

// Calls that write or start need no round trip to the device; forces() and neighbours() wait for the results, which
// stay valid until the next calculation. One thread at a time may use a board. Throws DeviceError if the device fails.
class GrapeBoard {
  public:
    explicit GrapeBoard(const std::shared_ptr<Device>& device);

    // Writes properties of j-particles into the board's memory, from particle number first on. positions(), masses(),
    // radii(): the number of particles that have them.
    void write_positions(std::size_t first, std::span<const Vec3<double>> positions);
    void write_masses(std::size_t first, std::span<const double> masses);
    void write_radii(std::size_t first, std::span<const double> radii);
    std::size_t positions() const { return positions_.size(); }
    std::size_t masses() const { return masses_.size(); }
    std::size_t radii() const { return radii_.size(); }

    // Writes i-particles that are not in the memory of j-particles.
    void write_targets(std::span<const Vec3<double>> positions);

    // Starts the forces of the sources on the targets written last, or on targets among the j-particles. Targets that
    // equal the first j-particles bit by bit are not sent again.
    void start_forces(std::size_t targets, GrapeRange sources, double softening);
    void start_forces_among(GrapeRange targets, GrapeRange sources, double softening);
    std::span<const GrapeForce> forces();

    // Starts the search for the sources within the radius of each target; forces may be under way.
    void start_neighbours(GrapeRange targets, GrapeRange sources);
    GrapeNeighbours neighbours();

    // Waits for all calculations that were started.
    void wait();

  private:
    void start(const Mirrored<Vec3<double>>& positions, GrapeRange targets, GrapeRange sources, double softening,
               double reach);
    void launch_neighbours();

    std::shared_ptr<Device> device_;
    Mirrored<Vec3<double>> positions_, targets_;
    Mirrored<double> masses_, radii_;
    Reach position_reach_, target_reach_, mass_reach_;

    DeviceMemory partial_sums_, forces_;
    HostMemory host_forces_;
    std::size_t force_count_ = 0;

    GrapeNeighboursCall search_{};
    DeviceMemory begins_, found_;
    HostMemory host_begins_, host_found_;
    std::size_t downloaded_ = 0;  // entries of lists that were downloaded with their begins

    std::unique_ptr<Queue> queue_;              // last: destroyed before the memory that it uses
    bool working_ = false, searching_ = false;  // calculations, or a search, that nothing has waited for
};

}  // namespace trellis
