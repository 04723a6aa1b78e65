// Named timers. The names are those of Table 2 of Iwasawa et al. (2020), which the benchmarks and the performance model
// use, too; the phases of several ranks are the terms of its equation (34), and the phases of a mesh the parts of "PM"
// in Table I of Ishiyama, Nitadori & Makino (2012). Two are ours: "Check lists", the test whether reused lists are
// still valid, and "Wait for device", the time for which the host has nothing left to do but to wait for forces that a
// device computes.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <string_view>

namespace trellis {

enum class Phase {
    decompose_domain,
    exchange_particles,
    set_root_cell,
    calculate_key,
    sort_key,
    reorder_particles,
    link_tree_cell,
    calculate_moments,
    construct_essential_trees,
    exchange_essential_trees,
    make_interaction_list,
    check_lists,
    copy_all,
    copy_list,
    assign_density,
    exchange_mesh,
    transform_mesh,
    differentiate_mesh,
    interpolate_field,
    force_kernel,
    wait_for_device,
    copy_forces,
    integration,
    count
};

constexpr std::array<std::string_view, static_cast<std::size_t>(Phase::count)> phase_names = {
    "Decompose domain",
    "Exchange ptcl",
    "Set root cell",
    "Calculate key",
    "Sort key",
    "Reorder ptcl",
    "Link tree cell",
    "Calculate multipole moment",
    "Construct LET",
    "Exchange LET",
    "Make interaction list",
    "Check lists",
    "Copy all particles and tree cells",
    "Copy interaction list",
    "Density assignment",
    "Mesh communication",
    "FFT",
    "Acceleration on mesh",
    "Force interpolation",
    "Force kernel",
    "Wait for device",
    "Copy FORCE",
    "Write back + integration"};
static_assert(!phase_names.back().empty(), "one name for each phase");

// Seconds spent in each phase since the last reset.
class Phases {
  public:
    using Clock = std::chrono::steady_clock;

    void reset() { seconds_.fill(0.0); }
    double seconds(Phase phase) const { return seconds_[static_cast<std::size_t>(phase)]; }
    void add(Phase phase, double seconds) { seconds_[static_cast<std::size_t>(phase)] += seconds; }

    // The phase that was begun last.
    Phase last() const { return last_; }
    void begin(Phase phase) { last_ = phase; }

  private:
    std::array<double, static_cast<std::size_t>(Phase::count)> seconds_{};
    Phase last_{};
};

// Adds the time between its construction and its end to one phase.
class PhaseTimer {
  public:
    PhaseTimer(Phases& phases, Phase phase) : phases_(phases), phase_(phase), start_(Phases::Clock::now()) {
        phases.begin(phase);
    }
    ~PhaseTimer() { phases_.add(phase_, std::chrono::duration<double>(Phases::Clock::now() - start_).count()); }
    PhaseTimer(const PhaseTimer&) = delete;
    PhaseTimer& operator=(const PhaseTimer&) = delete;

  private:
    Phases& phases_;
    Phase phase_;
    Phases::Clock::time_point start_;
};

}  // namespace trellis
