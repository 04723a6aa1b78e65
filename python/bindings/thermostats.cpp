// Thermostats and barostats in Python.
#include <cmath>
#include <memory>
#include <optional>

#include "bind_settings.hpp"
#include "bindings.hpp"
#include "forces.hpp"
#include "names.hpp"
#include "parameter_access.hpp"
#include "trellis/integrate/thermostats/andersen.hpp"
#include "trellis/integrate/thermostats/csvr.hpp"
#include "trellis/integrate/thermostats/langevin.hpp"
#include "trellis/integrate/thermostats/nose_hoover.hpp"

namespace nb = nanobind;

namespace {

constexpr Names<trellis::Axes, 7> directions{{{"xyz", {}},
                                              {"xy", {.z = false}},
                                              {"xz", {.y = false}},
                                              {"yz", {.x = false}},
                                              {"x", {.y = false, .z = false}},
                                              {"y", {.x = false, .z = false}},
                                              {"z", {.x = false, .y = false}}}};

// Throws InputError for a thermostat of some axes, which small systems do not have.
void check_of_systems(trellis::Axes axes) {
    if (axes != trellis::Axes())
        throw trellis::InputError(std::string("axes is ") + name_of(axes, directions) +
                                  ", but thermostats of small systems act in all directions: allowed is xyz");
}

// A thermostat with random numbers: each system has its own, shared with no system of an ensemble with another small
// seed. Without a seed, Python gives it one that is made of the particles at the start.
template <class Made, trellis::Bath kind>
struct RandomSettings final : AnyThermostat {
    std::unique_ptr<trellis::Thermostat> make() const override {
        return std::make_unique<Made>(temperature, relaxation_time, seed.value_or(0), axes);
    }
    void give(trellis::SystemSettings& system, std::size_t k) const override {
        check_of_systems(axes);
        system.bath = kind;
        system.temperature = temperature;
        system.relaxation_time = relaxation_time;
        system.seed = seed.value_or(0) + (std::uint64_t{k} << 32);
    }

    double temperature = 0, relaxation_time = 0;
    std::optional<std::uint64_t> seed;
    trellis::Axes axes;
};
using LangevinSettings = RandomSettings<trellis::Langevin, trellis::Bath::langevin>;
using CsvrSettings = RandomSettings<trellis::Csvr, trellis::Bath::csvr>;
using AndersenSettings = RandomSettings<trellis::Andersen, trellis::Bath::andersen>;

struct NoseHooverSettings final : AnyThermostat {
    std::unique_ptr<trellis::Thermostat> make() const override {
        return std::make_unique<trellis::NoseHoover>(temperature, relaxation_time, length, axes);
    }
    void give(trellis::SystemSettings& system, std::size_t /*k*/) const override {
        check_of_systems(axes);
        system.bath = trellis::Bath::nose_hoover;
        system.temperature = temperature;
        system.relaxation_time = relaxation_time;
        system.chain = static_cast<std::uint32_t>(length);
    }

    double temperature = 0, relaxation_time = 0;
    std::size_t length = 3;
    trellis::Axes axes;
};

// limits: 0 is allowed but for a Nose-Hoover chain.
template <class Settings>
constexpr Parameter<Settings> temperature(Limits limits) {
    return {.name = "temperature",
            .value = member<Settings, &Settings::temperature>,
            .meaning = "temperature, as an energy k T",
            .unit = "energy",
            .limits = limits,
            .required = true};
}

template <class Settings>
constexpr Parameter<Settings> relaxation_time(const char* meaning) {
    return {.name = "relaxation_time",
            .value = member<Settings, &Settings::relaxation_time>,
            .meaning = meaning,
            .unit = "time",
            .limits = {.above = 0},
            .required = true};
}

template <class Settings>
constexpr Parameter<Settings> seed{
    .name = "seed",
    .value = member<Settings, &Settings::seed>,
    .meaning =
        "seed of the random numbers: the same seed, the same numbers, on any number of ranks and threads; if not"
        " given, made of the particles at the start, so that other starts, and a run that goes on from a"
        " snapshot, have other numbers, and the same start the same",
    .limits = {.at_least = 0}};

template <class Settings>
constexpr Parameter<Settings> axes{
    .name = "axes",
    .value = choice<Settings, directions, &Settings::axes>,
    .meaning =
        "directions in which it acts: those across a flow, or xy for particles that stay in a plane; there are"
        " then as many degrees of freedom as in these"};

constexpr Parameter<LangevinSettings> of_langevin[] = {
    temperature<LangevinSettings>({.at_least = 0}),
    relaxation_time<LangevinSettings>("time over which velocities are forgotten, the inverse of the friction"),
    seed<LangevinSettings>,
    axes<LangevinSettings>,
};

constexpr Parameter<CsvrSettings> of_csvr[] = {
    temperature<CsvrSettings>({.at_least = 0}),
    relaxation_time<CsvrSettings>("time over which the kinetic energy is forgotten"),
    seed<CsvrSettings>,
    axes<CsvrSettings>,
};

constexpr Parameter<AndersenSettings> of_andersen[] = {
    temperature<AndersenSettings>({.at_least = 0}),
    relaxation_time<AndersenSettings>("mean time between the collisions of a particle"),
    seed<AndersenSettings>,
    axes<AndersenSettings>,
};

constexpr Parameter<NoseHooverSettings> of_nose_hoover[] = {
    temperature<NoseHooverSettings>({.above = 0}),
    relaxation_time<NoseHooverSettings>(
        "about the period of the bath's oscillations over 2 pi; it sets the masses of the chain: Q_1 = N_f k T"
        " relaxation_time^2 for its first member, with N_f = 3 N - 3 in all directions, and Q_k = k T relaxation_time^2"
        " for the others"),
    {.name = "length",
     .value = member<NoseHooverSettings, &NoseHooverSettings::length>,
     .meaning = "members of the chain",
     .limits = {.at_least = 1}},
    axes<NoseHooverSettings>,
};

constexpr Parameter<BarostatSettings> of_barostat[] = {
    {.name = "pressure",
     .value = member<BarostatSettings, &BarostatSettings::pressure>,
     .meaning = "on the box",
     .unit = "energy / length^3",
     .limits = {.at_least = 0},
     .required = true},
    {.name = "every",
     .value = member<BarostatSettings, &BarostatSettings::every>,
     .meaning = "steps from one move of the volume to the next, each at the cost of a step",
     .unit = "steps",
     .limits = {.at_least = 1}},
    {.name = "longest_move",
     .value = member<BarostatSettings, &BarostatSettings::longest_move>,
     .meaning =
         "largest change of ln V in a move; if not given, 0.5 / sqrt(N), of which liquids accept a third or more",
     .limits = {.above = 0}},
    {.name = "seed",
     .value = member<BarostatSettings, &BarostatSettings::seed>,
     .meaning = "seed of the random numbers: the same seed, the same moves; if not given, made of the particles at the"
                " start",
     .limits = {.at_least = 0}},
};

}  // namespace

trellis::Barostat BarostatSettings::of(std::size_t k, std::size_t particles) const {
    return {.every = every,
            .pressure = pressure,
            .longest_move = longest_move.value_or(0.5 / std::sqrt(static_cast<double>(particles))),
            .seed = seed.value_or(0) + (std::uint64_t{k} << 32)};
}

void bind_thermostats(nb::module_& core) {
    bind_settings<LangevinSettings, AnyThermostat>(
        core, "Langevin",
        "Langevin thermostat: friction, and random kicks that balance it.\n\n"
        "dv = -v dt / relaxation_time + sqrt(2 k T / (m relaxation_time)) dW, exactly, in halves around each step "
        "(the\n"
        "scheme OBABO of Bussi & Parrinello 2007).",
        of_langevin);
    bind_settings<CsvrSettings, AnyThermostat>(
        core, "Csvr",
        "CSVR: all velocities are scaled by one random factor, so that the kinetic energy is canonical.\n\n"
        "Bussi, Donadio & Parrinello (2007), exactly, in halves around each step. Velocities count relative to the "
        "centre\n"
        "of mass, with 3 N - 3 degrees of freedom. In open space the angular momentum must not be zero, since it would "
        "stay so.",
        of_csvr);
    bind_settings<AndersenSettings, AnyThermostat>(
        core, "Andersen",
        "Andersen's thermostat: collisions with a bath, each of which gives a particle a velocity of Maxwell's "
        "distribution.\n\n"
        "Andersen (1980), in halves around each step.",
        of_andersen);
    bind_settings<NoseHooverSettings, AnyThermostat>(
        core, "NoseHoover",
        "A chain of Nose-Hoover thermostats: no chance, and time-reversible.\n\n"
        "Martyna, Klein & Tuckerman (1992), by the explicit scheme of Martyna et al. (1996) with three Yoshida-Suzuki\n"
        "steps. Velocities count relative to the centre of mass, with 3 N - 3 degrees of freedom. In open space, where "
        "the\n"
        "angular momentum is conserved, the chain is not canonical, and is refused.",
        of_nose_hoover);
    bind_settings<BarostatSettings>(
        core, "Barostat",
        "Constant pressure: Monte Carlo moves of the volume of the box, with all positions scaled by one factor.\n\n"
        "A move to V' is accepted with the probability min{1, exp[(N + 1) ln(V'/V) - (dU + P dV) / k T]} (McDonald\n"
        "1972, with moves of ln V), with the temperature of the thermostat, so that the density of states and volumes\n"
        "is exp[-(U + P V) / k T] V^N dV: for an ideal gas, <V> = (N + 1) k T / P. The energy of the interaction must "
        "be\n"
        "continuous at its cutoff.",
        of_barostat);
}
