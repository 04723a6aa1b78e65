// Thermostats and barostats in Python.
#include <cmath>

#include "bind_settings.hpp"
#include "bindings.hpp"
#include "forces.hpp"
#include "parameter_access.hpp"
#include "trellis/integrate/langevin.hpp"
#include "trellis/integrate/nose_hoover.hpp"

namespace nb = nanobind;

namespace {

struct LangevinSettings final : AnyThermostat {
    std::unique_ptr<trellis::Thermostat> make() const override {
        return std::make_unique<trellis::Langevin>(temperature, relaxation_time, seed);
    }
    // Each system has its own random numbers, shared with no system of an ensemble with another small seed.
    void give(trellis::SystemSettings& system, std::size_t k) const override {
        system.bath = trellis::Bath::langevin;
        system.temperature = temperature;
        system.relaxation_time = relaxation_time;
        system.seed = seed + (std::uint64_t{k} << 32);
    }

    double temperature = 0, relaxation_time = 0;
    std::uint64_t seed = 1;
};

struct NoseHooverSettings final : AnyThermostat {
    std::unique_ptr<trellis::Thermostat> make() const override {
        return std::make_unique<trellis::NoseHoover>(temperature, relaxation_time, length, conserved);
    }
    void give(trellis::SystemSettings& system, std::size_t /*k*/) const override {
        system.bath = trellis::Bath::nose_hoover;
        system.temperature = temperature;
        system.relaxation_time = relaxation_time;
        system.chain = static_cast<std::uint32_t>(length);
        system.conserved = static_cast<std::uint32_t>(conserved);
    }

    double temperature = 0, relaxation_time = 0;
    std::size_t length = 3;
    int conserved = 3;
};

// limits: 0 is allowed for Langevin's thermostat, but not for a Nose-Hoover chain.
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

constexpr Parameter<LangevinSettings> of_langevin[] = {
    temperature<LangevinSettings>({.at_least = 0}),
    relaxation_time<LangevinSettings>("time over which velocities are forgotten, the inverse of the friction"),
    {.name = "seed",
     .value = member<LangevinSettings, &LangevinSettings::seed>,
     .meaning = "seed of the random numbers: the same seed, the same kicks, on any number of ranks and threads",
     .limits = {.at_least = 0}},
};

constexpr Parameter<NoseHooverSettings> of_nose_hoover[] = {
    temperature<NoseHooverSettings>({.above = 0}),
    relaxation_time<NoseHooverSettings>(
        "about the period of the bath's oscillations over 2 pi; it sets the masses of the chain: Q_1 = N_f k T"
        " relaxation_time^2 for its first member, Q_k = k T relaxation_time^2 for the others"),
    {.name = "length",
     .value = member<NoseHooverSettings, &NoseHooverSettings::length>,
     .meaning = "members of the chain",
     .limits = {.at_least = 1}},
    {.name = "conserved",
     .value = member<NoseHooverSettings, &NoseHooverSettings::conserved>,
     .meaning = "components of momentum that the forces conserve, which are to be zero: there are N_f = 3 N - conserved"
                " degrees of freedom",
     .limits = {.at_least = 0, .at_most = 3}},
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
     .meaning = "seed of the random numbers: the same seed, the same moves",
     .limits = {.at_least = 0}},
};

}  // namespace

trellis::Barostat BarostatSettings::of(std::size_t k, std::size_t particles) const {
    return {.every = every,
            .pressure = pressure,
            .longest_move = longest_move.value_or(0.5 / std::sqrt(static_cast<double>(particles))),
            .seed = seed + (std::uint64_t{k} << 32)};
}

void bind_thermostats(nb::module_& core) {
    bind_settings<LangevinSettings, AnyThermostat>(
        core, "Langevin",
        "Langevin thermostat: friction, and random kicks that balance it.\n\n"
        "dv = -v dt / relaxation_time + sqrt(2 k T / (m relaxation_time)) dW, exactly, in halves around each step "
        "(the\n"
        "scheme OBABO of Bussi & Parrinello 2007).",
        of_langevin);
    bind_settings<NoseHooverSettings, AnyThermostat>(
        core, "NoseHoover",
        "A chain of Nose-Hoover thermostats: no chance, and time-reversible.\n\n"
        "Martyna, Klein & Tuckerman (1992), by the explicit scheme of Martyna et al. (1996) with three Yoshida-Suzuki\n"
        "steps.",
        of_nose_hoover);
    bind_settings<BarostatSettings>(
        core, "Barostat",
        "Constant pressure in the boxes of an ensemble: Monte Carlo moves of the volume, with all positions "
        "scaled by one factor.\n\n"
        "A move to V' is accepted with the probability min{1, exp[(N + 1) ln(V'/V) - (dU + P dV) / k T]} (McDonald\n"
        "1972, with moves of ln V), with the temperature of the thermostat, so that the density of states and volumes\n"
        "is exp[-(U + P V) / k T] V^N dV: for an ideal gas, <V> = (N + 1) k T / P. The energy of the interaction must "
        "be\n"
        "continuous at its cutoff.",
        of_barostat);
}
