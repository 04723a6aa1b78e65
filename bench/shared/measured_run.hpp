// Cost of a few steps of a model under gravity, each with rebuilt trees and lists.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "shared/models.hpp"
#include "shared/spread.hpp"
#include "trellis/base/error.hpp"
#include "trellis/base/parallel.hpp"
#include "trellis/forces/gravity/gravity_force.hpp"
#include "trellis/run/simulation.hpp"

namespace bench {

using PhaseSeconds = std::array<double, trellis::phase_names.size()>;

struct Measured {
    Spread step;          // wall seconds
    PhaseSeconds phases;  // medians
    trellis::Work work;   // work in one step
    trellis::ForceChoice choice;
    std::size_t list_bytes;
    trellis::ForceError error;
};

// fmm: the default, accuracy 1e-3; tree: monopoles, theta 0.5, as in the paper.
inline trellis::ForceSettings settings_of(const std::string& method) {
    if (method == "fmm") return {};
    if (method == "tree") return {.theta = 0.5, .method = trellis::Method::tree, .order = 1};
    throw trellis::InputError("the method is '" + method + "': allowed are fmm and tree");
}

// checks: number of particles compared with direct summation, on all threads of the machine.
inline Measured measured_run(const std::shared_ptr<trellis::ParticleSet>& particles,
                             const std::shared_ptr<trellis::ForceByTree>& force, int threads, std::size_t steps,
                             std::size_t checks) {
    const int all_threads = trellis::thread_count();
    trellis::set_thread_count(threads);
    constexpr double timestep = 1e-6;  // so short that all steps are equal work
    trellis::Simulation sim(particles, timestep);
    sim.add_force(force);
    sim.step();  // sorts the rows, and gives the relative criterion its previous acceleration
    std::vector<double> step_seconds;
    std::array<std::vector<double>, trellis::phase_names.size()> phase_seconds;
    for (std::size_t k = 0; k < steps; ++k) {
        step_seconds.push_back(seconds([&] { sim.step(); }));
        for (std::size_t p = 0; p < phase_seconds.size(); ++p)
            phase_seconds[p].push_back(sim.phases().seconds(static_cast<trellis::Phase>(p)));
    }
    Measured result{spread(step_seconds), {}, sim.work(), force->choice(), force->lists().bytes(), {}};
    for (std::size_t p = 0; p < phase_seconds.size(); ++p) result.phases[p] = spread(phase_seconds[p]).median;
    trellis::set_thread_count(all_threads);
    if (checks > 0) result.error = sim.force_error(checks, 7);
    return result;
}

// As above, for a model by name with the softening of all benchmarks.
inline Measured measured_run(const std::string& name, std::size_t size, int threads,
                             const trellis::ForceSettings& settings, std::size_t steps, std::size_t checks) {
    return measured_run(model(name, size), trellis::gravity(softening, 1, settings), threads, steps, checks);
}

}  // namespace bench
