// Thermostats in Python.
#include <nanobind/stl/string.h>

#include <string>

#include "bindings.hpp"
#include "forces.hpp"
#include "trellis/base/error.hpp"
#include "trellis/integrate/langevin.hpp"
#include "trellis/integrate/nose_hoover.hpp"

namespace nb = nanobind;
using namespace nanobind::literals;

namespace {

struct LangevinSettings final : AnyThermostat {
    LangevinSettings(double temperature, double relaxation_time, std::uint64_t seed)
        : temperature(temperature), relaxation_time(relaxation_time), seed(seed) {
        make();  // throws for settings that cannot be used
    }

    std::unique_ptr<trellis::Thermostat> make() const override {
        return std::make_unique<trellis::Langevin>(temperature, relaxation_time, seed);
    }
    std::string text() const override {
        return "Langevin(temperature=" + trellis::to_text(temperature) +
               ", relaxation_time=" + trellis::to_text(relaxation_time) + ", seed=" + std::to_string(seed) + ")";
    }

    double temperature, relaxation_time;
    std::uint64_t seed;
};

struct NoseHooverSettings final : AnyThermostat {
    NoseHooverSettings(double temperature, double relaxation_time, std::size_t length, int conserved)
        : temperature(temperature), relaxation_time(relaxation_time), length(length), conserved(conserved) {
        make();  // throws for settings that cannot be used
    }

    std::unique_ptr<trellis::Thermostat> make() const override {
        return std::make_unique<trellis::NoseHoover>(temperature, relaxation_time, length, conserved);
    }
    std::string text() const override {
        return "NoseHoover(temperature=" + trellis::to_text(temperature) +
               ", relaxation_time=" + trellis::to_text(relaxation_time) + ", length=" + std::to_string(length) +
               ", conserved=" + std::to_string(conserved) + ")";
    }

    double temperature, relaxation_time;
    std::size_t length;
    int conserved;
};

}  // namespace

void bind_thermostats(nb::module_& core) {
    nb::class_<LangevinSettings, AnyThermostat>(
        core, "Langevin",
        R"(Langevin's thermostat: friction, and random kicks that make up for it.

dv = -v dt / relaxation_time + sqrt(2 k T / (m relaxation_time)) dW, exactly, in halves around each step (the scheme
OBABO of Bussi & Parrinello 2007).

Parameters
----------
temperature : float
    k T, 0 or more, in units of energy.
relaxation_time : float
    Time over which velocities are forgotten, the inverse of the friction, above 0, in units of time.
seed : int
    Seed of the random numbers. The same seed, the same kicks, on any number of ranks and threads.

Raises
------
ValueError
    If a value is out of its range.)")
        .def(nb::init<double, double, std::uint64_t>(), nb::kw_only(), "temperature"_a, "relaxation_time"_a,
             "seed"_a = 1);
    nb::class_<NoseHooverSettings, AnyThermostat>(core, "NoseHoover",
                                                  R"(A chain of Nose-Hoover thermostats: no chance, and time-reversible.

Martyna, Klein & Tuckerman (1992), by the explicit scheme of Martyna et al. (1996) with three Yoshida-Suzuki steps.

Parameters
----------
temperature : float
    k T, above 0, in units of energy.
relaxation_time : float
    About the period of the bath's oscillations over 2 pi, above 0, in units of time. It sets the masses of the chain:
    Q_1 = N_f k T relaxation_time^2 for its first member, Q_k = k T relaxation_time^2 for the others.
length : int
    Members of the chain, at least 1.
conserved : int
    Components of momentum that the forces conserve, 0 to 3, which are to be zero: there are N_f = 3 N - conserved
    degrees of freedom.

Raises
------
ValueError
    If a value is out of its range.)")
        .def(nb::init<double, double, std::size_t, int>(), nb::kw_only(), "temperature"_a, "relaxation_time"_a,
             "length"_a = 3, "conserved"_a = 3);
}
