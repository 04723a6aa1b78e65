#include <cmath>
#include <cstdint>
#include <optional>

#include "trellis/c/c_call.hpp"
#include "trellis/c/handles.hpp"
#include "trellis/run/measures/diagnostics.hpp"

using trellis::carry_out_c;
using trellis::given;
using trellis::Simulation;

namespace {

constexpr std::uint64_t draw = 1;  // the seed by which particles are drawn

Simulation& simulation_of(trellis_simulation* simulation) { return given(simulation, "simulation").simulation; }

}  // namespace

int trellis_simulation_new(trellis_particles* particles, double timestep, trellis_simulation** simulation) {
    return carry_out_c([&] {
        const auto length = timestep == 0 ? std::nullopt : std::optional(timestep);
        trellis::put_new(simulation, "simulation",
                         [&] { return Simulation(given(particles, "particles").set, length); });
    });
}

void trellis_simulation_free(trellis_simulation* simulation) { delete simulation; }

int trellis_add_force(trellis_simulation* simulation, trellis_force* force) {
    return carry_out_c([&] { simulation_of(simulation).add_force(given(force, "force").force); });
}

int trellis_set_spares(trellis_simulation* simulation, const char* names) {
    return carry_out_c([&] { simulation_of(simulation).set_spares(trellis::words_of(names, "names")); });
}

int trellis_compute_forces(trellis_simulation* simulation) {
    return carry_out_c([&] { simulation_of(simulation).compute_forces(); });
}

int trellis_step(trellis_simulation* simulation, int64_t steps) {
    return carry_out_c([&] {
        trellis::check_at_least("steps", steps, 0);
        simulation_of(simulation).run_steps(static_cast<std::uint64_t>(steps));
    });
}

int trellis_run_until(trellis_simulation* simulation, double time) {
    return carry_out_c([&] {
        if (!std::isfinite(time))
            throw trellis::InputError("time is " + trellis::to_text(time) + ": allowed is finite");
        simulation_of(simulation).run_until(time);
    });
}

int trellis_time(const trellis_simulation* simulation, double* time) {
    return carry_out_c([&] { given(time, "time") = given(simulation, "simulation").simulation.time(); });
}

int trellis_energies(trellis_simulation* simulation, double* kinetic, double* potential) {
    return carry_out_c([&] {
        Simulation& sim = simulation_of(simulation);
        sim.ensure_forces();
        given(kinetic, "kinetic") = trellis::kinetic_energy(sim.comm(), sim.particles());
        const double energy = trellis::potential_energy(sim.comm(), sim.particles());
        const std::string why = trellis::why_not_finite(sim.particles(), trellis::Potential::name, energy);
        if (!why.empty()) throw trellis::InputError(why);
        given(potential, "potential") = energy;
    });
}

int trellis_force_error(trellis_simulation* simulation, int64_t count, double* error) {
    return carry_out_c([&] {
        trellis::check_at_least("count", count, 0);
        given(error, "error") = simulation_of(simulation).force_error(static_cast<std::size_t>(count), draw).rms;
    });
}
