// Lennard-Jones in Python.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <optional>
#include <utility>

#include "bindings.hpp"
#include "forces.hpp"
#include "names.hpp"
#include "trellis/base/error.hpp"
#include "trellis/forces/molecules/lennard_jones_force.hpp"

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
                         const ShortRangeSettings& settings, std::optional<std::string> device)
        : AnyForce(std::move(device)),
          epsilon(epsilon),
          sigma(sigma),
          cutoff(cutoff),
          truncation(by_name("truncation", truncation, truncations)),
          settings(settings) {
        make(nullptr);  // throws for settings that cannot be used
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

// The ratio of the skin, which is a length in Python, to the cutoff; if not given, the standard one.
double skin_ratio(const std::optional<double>& skin, double cutoff) {
    if (!skin) return ShortRangeSettings().skin_ratio;
    if (!(*skin >= 0 && *skin <= cutoff))
        throw trellis::InputError("skin is " + trellis::to_text(*skin) + ": allowed is 0 to the cutoff, " +
                                  trellis::to_text(cutoff));
    return *skin / cutoff;
}

void make(LennardJonesSettings* self, double epsilon, double sigma, double cutoff, const std::string& truncation,
          const std::string& lists, std::uint32_t reuse_steps, std::optional<double> skin,
          const std::optional<std::string>& precision, const std::optional<std::string>& device) {
    new (self)
        LennardJonesSettings(epsilon, sigma, cutoff, truncation,
                             {.lists = by_name("lists", lists, lists_names),
                              .reuse_steps = reuse_steps,
                              .skin_ratio = skin_ratio(skin, cutoff),
                              .precision = by_name("precision", precision, precisions, trellis::Precision::automatic)},
                             device);
}

nb::dict settings_in_use(const LennardJonesSettings& given) {
    nb::dict settings;
    settings["epsilon"] = given.epsilon;
    settings["sigma"] = given.sigma;
    settings["cutoff"] = given.cutoff;
    settings["truncation"] = name_of(given.truncation, truncations);
    settings["lists"] = name_of(given.settings.lists, lists_names);
    settings["reuse_steps"] = given.settings.reuse_steps;
    settings["skin"] = given.settings.skin_ratio * given.cutoff;
    settings["precision"] = name_of(given.settings.precision, precisions);
    settings["device"] = given.device;
    return settings;
}

}  // namespace

void bind_lennard_jones(nb::module_& core) {
    const ShortRangeSettings standard;
    nb::class_<LennardJonesSettings, AnyForce>(core, "LennardJones",
                                               R"(The Lennard-Jones force between atoms of one kind, cut off.

Two atoms at distance r have the energy u(r) = 4 epsilon ((sigma / r)^12 - (sigma / r)^6) within the cutoff c, and 0
beyond. Particles get a field ``virial``, from which the pressure follows.

Parameters
----------
epsilon : float
    Depth of the potential, above 0, in units of energy.
sigma : float
    Distance at which it is 0, above 0, in units of length.
cutoff : float
    Distance beyond which atoms do not act on each other, in units of length.
truncation : {'plain', 'energy-shifted', 'force-shifted'}
    How it ends: u(r), u(r) - u(c), or u(r) - u(c) - (r - c) u'(c) (Allen & Tildesley 2017, section 5.2.3).
lists : {'rebuild', 'reuse'}
    Rebuild tree and neighbour lists at each step, or keep them over steps while they are still valid (Verlet 1967).
reuse_steps : int
    Reuse: steps that one set of lists serves at most.
skin : float, optional
    Reuse: how far lists go beyond the cutoff, 0 to the cutoff, in units of length; None is a tenth of the cutoff.
precision : {'single', 'double'}, optional
    Arithmetic of the force kernels; None is single, where its range suffices.
device : str, optional
    Where the force kernels run: 'host', 'cpu', 'cuda:0', ...; None is that of the simulation.

Raises
------
ValueError
    If a value is out of its range.)")
        .def("__init__", &make, nb::kw_only(), "epsilon"_a = 1.0, "sigma"_a = 1.0, "cutoff"_a = 2.5,
             "truncation"_a = "plain", "lists"_a = "reuse", "reuse_steps"_a = standard.reuse_steps,
             "skin"_a = nb::none(), "precision"_a = nb::none(), "device"_a = nb::none())
        .def_prop_ro("settings", &settings_in_use, "The settings, by name.");
}
