#include "system_checks.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <tuple>
#include <vector>

#include "trellis/devices/remote/open.hpp"
#include "trellis/ensembles/built_in.hpp"
#include "trellis/ensembles/built_in_kernel.hpp"
#include "trellis/ensembles/ensemble.hpp"
#include "trellis/forces/gravity/gravity_force.hpp"
#include "trellis/forces/molecules/lennard_jones.hpp"
#include "unit/ensembles/lattice_atoms.hpp"

using namespace trellis;

namespace {

// Systems of several sizes, with thermostats.
struct Systems {
    std::vector<ParticleSet> particles;
    std::vector<SystemSettings> settings;
};

Systems systems_of(bool small, bool open) {
    Systems systems;
    const std::vector<std::size_t> few{13, 216}, all{1, 13, 55, 256, 500, 1331, 2744};
    for (const std::size_t count : small ? few : all)
        for (const Bath bath :
             {Bath::none, Bath::langevin, Bath::nose_hoover, Bath::quench, Bath::csvr, Bath::andersen}) {
            const bool alone = open || count < 200;
            if (alone && bath == Bath::nose_hoover) continue;  // which is refused in open space
            if (count == 1 && bath == Bath::csvr) continue;
            systems.particles.push_back(lattice_atoms(count, alone ? 0 : 3, static_cast<unsigned>(count)));
            systems.settings.push_back({.timestep = 0.002,
                                        .bath = bath,
                                        .temperature = 0.8,
                                        .relaxation_time = 0.3,
                                        .seed = 7,
                                        .tolerance = 1e-3,
                                        .longest_move = 0.1});
            if (alone) systems.settings.back().container = {.radius = 1.2, .stiffness = 100};
        }
    return systems;
}

template <class I>
Ensemble ensemble(BuiltIn which, const I& interaction, const Systems& systems, const Devices& devices) {
    std::vector<const ParticleSet*> particles;
    for (const ParticleSet& each : systems.particles) particles.push_back(&each);
    const std::vector<I> all(particles.size(), interaction);
    return Ensemble(built_in_systems(which), std::as_bytes(std::span(all)), particles, systems.settings, devices);
}

// The largest difference of three components, over the largest of b.
double difference(const EnsembleState& a, const EnsembleState& b, std::size_t component) {
    const std::size_t slots = b.columns.size() / system_columns::changing;
    double apart = 0, largest = 1e-300;
    for (std::size_t k = component * slots; k < (component + 3) * slots; ++k) {
        const double d = std::abs(a.columns[k] - b.columns[k]);
        apart = d <= apart ? apart : d;  // NaN stays
        largest = std::max(largest, std::abs(b.columns[k]));
    }
    return apart / largest;
}

template <class I>
void check_interaction(Checks& checks, const std::string& name, BuiltIn which, const I& interaction,
                       const Systems& systems, const std::string& what) {
    constexpr std::uint64_t steps = 20;
    Ensemble there = ensemble(which, interaction, systems, open_device(name));
    Ensemble here = ensemble(which, interaction, systems, open_device("cpu"));
    const auto energies = there.advance(steps, steps), known = here.advance(steps, steps);
    const EnsembleState now = there.state(), wanted = here.state();
    for (const auto& [component, allowed, field] : {std::tuple(system_columns::position, 1e-6, "positions"),
                                                    std::tuple(system_columns::velocity, 1e-4, "velocities"),
                                                    std::tuple(system_columns::acceleration, 1e-4, "accelerations")}) {
        const double apart = difference(now, wanted, component);
        checks.that(apart <= allowed, what + ", " + field + " as on cpu",
                    "largest difference " + std::to_string(1e6 * apart) + "e-6");
    }
    double apart = 0;
    for (std::size_t k = 0; k < known.size(); ++k) {
        const double size = 1 + std::abs(known[k].potential) + known[k].kinetic;
        for (const double d : {energies[k].potential - known[k].potential, energies[k].kinetic - known[k].kinetic,
                               energies[k].bath - known[k].bath})
            apart = std::abs(d) / size <= apart ? apart : std::abs(d) / size;
    }
    checks.that(apart <= 1e-4, what + ", energies as on cpu", std::to_string(1e6 * apart) + "e-6");
    Ensemble again = ensemble(which, interaction, systems, open_device(name));
    again.advance(steps / 2, 1);
    again.advance(steps / 2, steps / 2);
    checks.that(again.state().columns == now.columns, what + ", the same bits in other calls");
}

// Systems in boxes whose volumes change.
Systems at_constant_pressure() {
    Systems systems;
    for (const std::size_t count : {216, 512}) {
        systems.particles.push_back(lattice_atoms(count, 3, 1));
        systems.settings.push_back({.timestep = 0.002,
                                    .bath = Bath::langevin,
                                    .temperature = 0.8,
                                    .relaxation_time = 0.3,
                                    .seed = 7,
                                    .barostat = {.every = 2, .pressure = 1, .longest_move = 0.02, .seed = 5}});
    }
    return systems;
}

}  // namespace

void check_systems(Checks& checks, const std::string& name, bool small) {
    const Systems open = systems_of(small, true), boxes = systems_of(small, false);
    const LennardJones atoms(1, 1, 2.5, Truncation::force_shifted);
    check_interaction(checks, name, BuiltIn::lennard_jones, atoms, boxes, "systems, Lennard-Jones in boxes");
    check_interaction(checks, name, BuiltIn::lennard_jones, atoms, open, "systems, Lennard-Jones in open space");
    check_interaction(checks, name, BuiltIn::gravity, checked_gravity(0.1, 1), open, "systems, gravity");
    check_interaction(checks, name, BuiltIn::no_pairs, NoPairs{}, open, "systems without pairs");
    check_interaction(checks, name, BuiltIn::lennard_jones, atoms, at_constant_pressure(),
                      "systems, constant pressure");
}
