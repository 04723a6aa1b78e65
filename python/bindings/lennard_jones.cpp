// Lennard-Jones in Python.
#include "trellis/forces/molecules/lennard_jones_force.hpp"

#include <optional>
#include <utility>

#include "bind_settings.hpp"
#include "bindings.hpp"
#include "common_parameters.hpp"
#include "trellis/base/error.hpp"
#include "trellis/ensembles/built_in.hpp"

namespace nb = nanobind;
using trellis::ShortRangeSettings;
using trellis::Truncation;

namespace {

constexpr Names<Truncation, 3> truncations{{{"plain", Truncation::plain},
                                            {"energy-shifted", Truncation::energy_shifted},
                                            {"force-shifted", Truncation::force_shifted}}};

struct LennardJonesSettings final : AnyForce {
    std::unique_ptr<trellis::Force> make(const trellis::Devices& devices) const override {
        ShortRangeSettings there = search;
        there.skin_ratio = skin_ratio();
        there.device = devices;
        return trellis::lennard_jones(epsilon, sigma, cutoff, truncation, there);
    }
    SystemsForce among_systems() const override {
        return systems_force(trellis::built_in_systems(trellis::BuiltIn::lennard_jones),
                             trellis::LennardJones(epsilon, sigma, cutoff, truncation));
    }
    // With all open ones chosen.
    LennardJonesSettings in_use() const {
        LennardJonesSettings used = *this;
        used.skin = skin_ratio() * cutoff;
        return used;
    }
    // The ratio of the skin, which is a length in Python, to the cutoff.
    double skin_ratio() const {
        if (!skin) return search.skin_ratio;
        if (*skin > cutoff)
            throw trellis::InputError("skin is " + trellis::to_text(*skin) + ": allowed is 0 to the cutoff, " +
                                      trellis::to_text(cutoff));
        return *skin / cutoff;
    }

    double epsilon = 1, sigma = 1, cutoff = 2.5;
    Truncation truncation = Truncation::plain;
    std::optional<double> skin;
    ShortRangeSettings search;  // the ratio of the skin apart
};

using All = LennardJonesSettings;
using Search = ShortRangeSettings;

constexpr Parameter<All> parameters[] = {
    {.name = "epsilon",
     .value = member<All, &All::epsilon>,
     .meaning = "depth of the potential u(r) = 4 epsilon ((sigma / r)^12 - (sigma / r)^6)",
     .unit = "energy",
     .limits = {.above = 0}},
    {.name = "sigma",
     .value = member<All, &All::sigma>,
     .meaning = "distance at which the potential is 0",
     .unit = "length",
     .limits = {.above = 0}},
    {.name = "cutoff",
     .value = member<All, &All::cutoff>,
     .meaning = "distance c beyond which atoms do not act on each other",
     .unit = "length",
     .limits = {.above = 0}},
    {.name = "truncation",
     .value = choice<All, truncations, &All::truncation>,
     .meaning = "how the potential ends at the cutoff: u(r), with a jump (plain); u(r) - u(c), without one"
                " (energy-shifted); or u(r) - u(c) - (r - c) u'(c), without one of the force either (force-shifted)",
     .source = "Allen & Tildesley 2017, section 5.2.3"},
    neighbour_lists_parameter<All, &All::search, &Search::lists>,
    reuse_steps_parameter<All, &All::search, &Search::reuse_steps>,
    {.name = "skin",
     .value = member<All, &All::skin>,
     .meaning = "reuse: how far lists go beyond the cutoff, at most the cutoff; if not given, a tenth of it",
     .unit = "length",
     .limits = {.at_least = 0}},
    precision_parameter<All, &All::search, &Search::precision>,
    device_parameter<All>,
};

}  // namespace

void bind_lennard_jones(nb::module_& core) {
    bind_settings<All, AnyForce>(
        core, "LennardJones",
        "The Lennard-Jones force between atoms of one kind, cut off.\n\n"
        "Two atoms at distance r have the energy u(r) = 4 epsilon ((sigma / r)^12 - (sigma / r)^6) within the cutoff\n"
        "c, and 0 beyond. Particles get a field ``virial``, from which the pressure follows.",
        parameters);
}
