// Lennard-Jones as Python has it.
#include <nanobind/stl/string.h>

#include <utility>

#include "bindings.hpp"
#include "forces.hpp"
#include "names.hpp"
#include "trellis/forces/lennard_jones_force.hpp"

namespace nb = nanobind;
using namespace nanobind::literals;
using trellis::ShortRangeSettings;
using trellis::Truncation;

namespace {

constexpr Names<Truncation, 3> truncations{{{"plain", Truncation::plain},
                                            {"energy-shifted", Truncation::energy_shifted},
                                            {"force-shifted", Truncation::force_shifted}}};

struct LennardJonesSettings final : AnyForce {
    LennardJonesSettings(double epsilon, double sigma, double cutoff, const std::string& truncation,
                         const ShortRangeSettings& settings)
        : epsilon(epsilon),
          sigma(sigma),
          cutoff(cutoff),
          truncation(by_name("truncation", truncation, truncations)),
          settings(settings) {
        make(nullptr);  // throws for what cannot be used
    }

    std::unique_ptr<trellis::Force> make(std::shared_ptr<trellis::Device> device) const override {
        ShortRangeSettings there = settings;
        there.device = std::move(device);
        return trellis::lennard_jones(epsilon, sigma, cutoff, truncation, there);
    }
    std::string text() const override {
        return "LennardJones(epsilon=" + trellis::to_text(epsilon) + ", sigma=" + trellis::to_text(sigma) +
               ", cutoff=" + trellis::to_text(cutoff) + ", truncation='" + name_of(truncation, truncations) + "')";
    }

    double epsilon, sigma, cutoff;
    Truncation truncation;
    ShortRangeSettings settings;
};

void make(LennardJonesSettings* self, double epsilon, double sigma, double cutoff, const std::string& truncation,
          const std::string& lists, std::uint32_t reuse_steps, double skin, const std::string& precision) {
    new (self) LennardJonesSettings(epsilon, sigma, cutoff, truncation,
                                    {.lists = by_name("lists", lists, lists_names),
                                     .reuse_steps = reuse_steps,
                                     .skin = skin,
                                     .precision = by_name("precision", precision, precisions)});
}

nb::dict settings_in_use(const LennardJonesSettings& given) {
    nb::dict settings;
    settings["epsilon"] = given.epsilon;
    settings["sigma"] = given.sigma;
    settings["cutoff"] = given.cutoff;
    settings["truncation"] = name_of(given.truncation, truncations);
    settings["lists"] = name_of(given.settings.lists, lists_names);
    settings["reuse_steps"] = given.settings.reuse_steps;
    settings["skin"] = given.settings.skin;
    settings["precision"] = name_of(given.settings.precision, precisions);
    return settings;
}

}  // namespace

void bind_lennard_jones(nb::module_& core) {
    const ShortRangeSettings standard;
    nb::class_<LennardJonesSettings, AnyForce>(core, "LennardJones",
                                               R"(The Lennard-Jones force between atoms of one kind, cut off.

Two atoms at distance r have the energy u(r) = 4 epsilon ((sigma / r)^12 - (sigma / r)^6) within the cutoff c, and 0 beyond. Particles
get a field ``virial``, from which the pressure follows.

Parameters
----------
epsilon, sigma : float
    Depth of the potential, and where it is 0.
cutoff : float
    Distance beyond which atoms do not act on each other.
truncation : {'plain', 'energy-shifted', 'force-shifted'}
    How it ends: u(r) alone, u(r) - u(c), or u(r) - u(c) - (r - c) u'(c).
lists : {'rebuild', 'reuse'}
    Make tree and neighbour lists anew at each step, or keep them over steps while they hold.
reuse_steps : int
    Reuse: steps that one set of lists serves at most.
skin : float
    Reuse: by which share of the cutoff lists go beyond it.
precision : {'auto', 'single', 'double'}
    Arithmetic of the force kernels; auto is single.

Raises
------
ValueError
    If a value is out of its range.)")
        .def("__init__", &make, nb::kw_only(), "epsilon"_a = 1.0, "sigma"_a = 1.0, "cutoff"_a = 2.5,
             "truncation"_a = "plain", "lists"_a = "reuse", "reuse_steps"_a = standard.reuse_steps,
             "skin"_a = standard.skin, "precision"_a = "auto")
        .def_prop_ro("settings", &settings_in_use, "The settings, by name.");
}
