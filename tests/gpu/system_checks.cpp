#include "system_checks.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "python_gravity.hpp"
#include "trellis/devices/device_kind.hpp"
#include "trellis/devices/remote/open.hpp"
#include "trellis/ensembles/built_in.hpp"
#include "trellis/ensembles/built_in_kernel.hpp"
#include "trellis/ensembles/ensemble.hpp"
#include "trellis/ensembles/run_time_kernel.hpp"
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
                                        .longest_move = 1e-3});  // shortens its steps
            if (alone) systems.settings.back().container = {.radius = 1.2, .stiffness = 100};
        }
    return systems;
}

// An interaction and its kernels.
struct Interaction {
    SystemKernels kernels;
    std::vector<std::byte> bytes;
};

template <class I>
Interaction interaction_of(SystemKernels kernels, const I& interaction) {
    const auto bytes = std::as_bytes(std::span(&interaction, 1));
    return {std::move(kernels), {bytes.begin(), bytes.end()}};
}

// Gravity as an interaction in Python, of which GPUs make a kernel.
Interaction python_gravity_of(double softening) {
    const auto pair = std::make_shared<RunTimePair>();
    pair->name = pair->kernel_name = "python_gravity";
    pair->fields = {field_info<Position>(), field_info<Mass>()};
    pair->outcome = {field_info<Acceleration>(), field_info<Potential>()};
    pair->parameters = {softening * softening};
    const auto graph = std::as_bytes(std::span(python_gravity::softened));
    pair->graph.assign(graph.begin(), graph.end());
    return interaction_of(TRELLIS_VARIANT(systems_at_run_time)(pair),
                          RunTimeSystem{pair.get(), std::numeric_limits<double>::infinity()});
}

Ensemble ensemble(const Interaction& of, const Systems& systems, const Devices& devices) {
    std::vector<const ParticleSet*> particles;
    std::vector<std::byte> all;
    for (const ParticleSet& each : systems.particles) {
        particles.push_back(&each);
        all.insert(all.end(), of.bytes.begin(), of.bytes.end());
    }
    return Ensemble(of.kernels, all, particles, systems.settings, devices);
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

// on_device: the interaction as the device has it.
void check_interaction(Checks& checks, const std::string& name, const Interaction& on_device, const Interaction& on_cpu,
                       const Systems& systems, const std::string& what) {
    constexpr std::uint64_t steps = 20;
    Ensemble there = ensemble(on_device, systems, open_device(name));
    Ensemble here = ensemble(on_cpu, systems, open_device("cpu"));
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
    Ensemble again = ensemble(on_device, systems, open_device(name));
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
    const auto atoms =
        interaction_of(built_in_systems(BuiltIn::lennard_jones), LennardJones(1, 1, 2.5, Truncation::force_shifted));
    const auto gravity = interaction_of(built_in_systems(BuiltIn::gravity), checked_gravity(0.1, 1));
    const auto no_pairs = interaction_of(built_in_systems(BuiltIn::no_pairs), NoPairs{});
    check_interaction(checks, name, atoms, atoms, boxes, "systems, Lennard-Jones in boxes");
    check_interaction(checks, name, atoms, atoms, open, "systems, Lennard-Jones in open space");
    check_interaction(checks, name, gravity, gravity, open, "systems, gravity");
    check_interaction(checks, name, no_pairs, no_pairs, open, "systems without pairs");
    check_interaction(checks, name, atoms, atoms, at_constant_pressure(), "systems, constant pressure");
    if (names_gpu(name))
        check_interaction(checks, name, python_gravity_of(0.1), gravity, open, "systems, gravity in Python");
}
