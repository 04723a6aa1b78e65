// The GRAPE-5 calls, as gp5util.h describes them, with errors as exceptions.
#pragma once

#include <atomic>
#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <optional>

#include "trellis/grape/board.hpp"
#include "trellis/grape/calls/device_list.hpp"

namespace trellis {

// Boards by number, each with a memory and a queue of its own. Several threads may call at once; calls with the same
// number are carried out one after the other. Throws InputError for numbers out of range.
class Grape5 {
  public:
    static constexpr int pipelines = 1024;    // a good number of i-particles for a call
    static constexpr int j_memory = 1 << 20;  // j-particles that a board holds
    static constexpr int most_boards = 1024;

    void open();
    void close();

    // Only checks the range: no result depends on it.
    static void check_range(double xmin, double xmax, double mmin);
    void set_softening(double softening);
    void set_count(int board, int count);
    // The positions and masses of the j-particles [first, first + count).
    void set_sources(int board, int first, int count, const Vec3<double>* positions, const double* masses);
    void set_targets(int board, int count, const Vec3<double>* positions);
    void run(int board);
    // The number of i-particles of the last set_targets, and the forces on the first count of them.
    int targets(int board);
    void get_forces(int board, int count, Vec3<double>* accelerations, double* potentials);
    // set_targets, run and get_forces for any number of i-particles.
    void forces_on(int board, int count, const Vec3<double>* positions, Vec3<double>* accelerations,
                   double* potentials);

  private:
    struct Slot {
        explicit Slot(const std::shared_ptr<Device>& device) : board(device) {}
        std::mutex mutex;
        GrapeBoard board;
        std::optional<std::size_t> sources;  // number of j-particles that act, by set_count
        bool has_sources = false;            // the last set_sources did not fail
        std::size_t targets = 0;
        bool has_run = false;
    };

    Slot& slot(int number);
    void start(Slot& slot, std::size_t targets) const;

    std::mutex mutex_;
    std::optional<GrapeDeviceList> devices_;
    std::map<int, std::unique_ptr<Slot>> slots_;
    std::atomic<double> softening_ = 0;
};

// The boards of this process.
Grape5& grape5();

}  // namespace trellis
