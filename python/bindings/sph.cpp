// Smoothed particle hydrodynamics in Python.
#include "trellis/forces/sph/sph_force.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "bindings.hpp"
#include "forces.hpp"
#include "gravity.hpp"
#include "names.hpp"
#include "trellis/forces/among_types.hpp"
#include "trellis/forces/sph/smoothing_length.hpp"

namespace nb = nanobind;
using namespace nanobind::literals;
using trellis::ConstantViscosity;
using trellis::CullenDehnenViscosity;
using trellis::MorrisMonaghanViscosity;
using trellis::Smoothing;
using trellis::ViscositySwitch;

namespace {

constexpr Names<Smoothing, 3> kernels{{{"cubic-spline", Smoothing::cubic_spline},
                                       {"wendland-c2", Smoothing::wendland_c2},
                                       {"wendland-c4", Smoothing::wendland_c4}}};
enum class Switch { constant, morris_monaghan, cullen_dehnen };  // in the order of ViscositySwitch
constexpr Names<Switch, 3> switches{{{"constant", Switch::constant},
                                     {"morris-monaghan", Switch::morris_monaghan},
                                     {"cullen-dehnen", Switch::cullen_dehnen}}};

// strength: the largest alpha; if not given, that of the switch's authors.
ViscositySwitch viscosity_of(Switch kind, std::optional<double> strength) {
    if (kind == Switch::constant) return ConstantViscosity{.alpha = strength.value_or(ConstantViscosity().alpha)};
    if (kind == Switch::cullen_dehnen)
        return CullenDehnenViscosity{.highest = strength.value_or(CullenDehnenViscosity().highest)};
    MorrisMonaghanViscosity viscosity;
    viscosity.highest = strength.value_or(viscosity.highest);
    viscosity.lowest = std::min(viscosity.lowest, viscosity.highest);
    return viscosity;
}

// The number of neighbours; if not given, the one that in any number of dimensions has the same ratio of smoothing
// length to particle distance as 64 in three.
double neighbours_or(std::optional<double> given, int dimensions) {
    const double in_space = trellis::SphSettings().neighbours, eta = std::cbrt(in_space / trellis::unit_ball(3));
    if (given || dimensions == 3) return given.value_or(in_space);
    return trellis::neighbours_of(dimensions, eta);
}

struct SphSettings final : AnyForce {
    SphSettings(const trellis::SphSettings& settings, std::vector<double> types, std::optional<std::string> device)
        : AnyForce(std::move(device)), settings(settings), types(std::move(types)) {
        make(nullptr);  // throws for settings that cannot be used
    }

    std::unique_ptr<trellis::Force> make(std::shared_ptr<trellis::Device> device) const override {
        trellis::SphSettings there = settings;
        there.search.device = std::move(device);
        return std::make_unique<trellis::AmongTypes>(std::make_unique<trellis::SphForce>(there), types);
    }
    const char* viscosity() const { return name_of(static_cast<Switch>(settings.viscosity.index()), switches); }
    std::string text() const override {
        return std::string("Sph(kernel='") + name_of(settings.kernel, kernels) +
               "', dimensions=" + std::to_string(settings.dimensions) +
               ", neighbours=" + trellis::to_text(settings.neighbours) +
               ", gamma=" + trellis::to_text(settings.gas.gamma) + ", viscosity='" + viscosity() + "')";
    }

    trellis::SphSettings settings;
    std::vector<double> types;
};

void make(SphSettings* self, const std::string& kernel, int dimensions, std::optional<double> neighbours, double gamma,
          const std::string& viscosity, std::optional<double> viscosity_strength, double conductivity, double courant,
          const GravitySettings* adaptive_softening, const std::string& lists, std::uint32_t reuse_steps,
          double skin_ratio, std::uint32_t group_size, const std::optional<std::string>& precision,
          std::vector<double> types, const std::optional<std::string>& device) {
    std::optional<trellis::SelfGravity> softened;
    if (adaptive_softening != nullptr) softened = {adaptive_softening->softening, adaptive_softening->G};
    new (self) SphSettings(
        {.kernel = by_name("kernel", kernel, kernels),
         .dimensions = dimensions,
         .neighbours = neighbours_or(neighbours, dimensions),
         .gas = {.gamma = gamma},
         .viscosity = viscosity_of(by_name("viscosity", viscosity, switches), viscosity_strength),
         .conductivity = conductivity,
         .adaptive_softening = softened,
         .courant = courant,
         .search = {.lists = by_name("lists", lists, lists_names),
                    .reuse_steps = reuse_steps,
                    .skin_ratio = skin_ratio,
                    .group_size = group_size,
                    .precision = by_name("precision", precision, precisions, trellis::Precision::automatic)}},
        std::move(types), device);
}

nb::dict settings_in_use(const SphSettings& given) {
    const trellis::SphSettings& all = given.settings;
    nb::dict settings;
    settings["kernel"] = name_of(all.kernel, kernels);
    settings["dimensions"] = all.dimensions;
    settings["neighbours"] = all.neighbours;
    settings["gamma"] = all.gas.gamma;
    settings["viscosity"] = given.viscosity();
    settings["viscosity_strength"] = std::visit([](const auto& used) { return used.strength(); }, all.viscosity);
    settings["conductivity"] = all.conductivity;
    settings["courant"] = all.courant;
    settings["adaptive_softening"] = all.adaptive_softening.has_value();
    settings["lists"] = name_of(all.search.lists, lists_names);
    settings["reuse_steps"] = all.search.reuse_steps;
    settings["skin_ratio"] = all.search.skin_ratio;
    settings["group_size"] = all.search.group_size;
    settings["precision"] = name_of(all.search.precision, precisions);
    settings["types"] = given.types;
    settings["device"] = given.device;
    return settings;
}

}  // namespace

void bind_sph(nb::module_& core) {
    const trellis::SphSettings standard;
    nb::class_<SphSettings, AnyForce>(core, "Sph",
                                      R"(An ideal gas, by smoothed particle hydrodynamics.

Particles need a field ``internal_energy`` (of a unit of mass), which evolves. They get ``density``, ``pressure``,
``smoothing_length`` (the radius of the kernel's support) and others; a ``smoothing_length`` that is there is where
the search for it begins. With `Gravity` beside it the gas attracts itself.

Parameters
----------
kernel : {'cubic-spline', 'wendland-c2', 'wendland-c4'}
    Smoothing kernel (Monaghan & Lattanzio 1985; Dehnen & Aly 2012, Table 1).
dimensions : int
    1, 2 or 3; along the other axes all particles are at one place.
neighbours : float, optional
    Particles, itself included, in the ball (in 2D the disc, in 1D the stretch) that the kernel of a particle covers:
    of radius h, the smoothing length. None is 64, in 2D 19.3 and in 1D 4.96, of the same radius in distances between
    particles.
gamma : float
    Ratio of specific heats, above 1: pressure = (gamma - 1) density internal_energy.
viscosity : {'constant', 'morris-monaghan', 'cullen-dehnen'}
    Switch of the artificial viscosity: constant with the limiter of Balsara (1995), Morris & Monaghan (1997), Cullen
    & Dehnen (2010).
viscosity_strength : float, optional
    Its largest alpha, 0 or more (Monaghan 1997); None is 1, 1 and 2, those of the switches' authors.
conductivity : float
    Strength alpha_u of artificial conduction where pressures differ, 0 or more (Price 2008); 0 for none.
courant : float
    Longest time step allowed, over the time in which signals cross h: C in C h / v_sig, above 0; 0.3 is Gadget's 0.15
    (Springel 2005).
adaptive_softening : Gravity, optional
    The gravity that acts beside this force, in three dimensions: below the smoothing length it is then that of masses
    spread as the smoothing kernel (Price & Monaghan 2007), not of points with its softening, which must be above 0.
lists : {'rebuild', 'reuse'}
    Rebuild tree and neighbour lists at each step, or keep them over steps while they are still valid (Iwasawa et al.
    2020, section 4.2).
reuse_steps : int
    Reuse: steps that one set of lists serves at most (n_reuse).
skin_ratio : float
    Reuse: the length by which lists go beyond a particle's h, over h, 0 to 1.
group_size : int
    Most i-particles that share one search for neighbours (n_grp).
precision : {'single', 'double'}, optional
    Arithmetic of the force kernels; None is single, where its range suffices.
types : sequence of int
    Which types of particles are gas, where they have a field ``type``, as those of Gadget's files; others neither
    feel it nor act on it.
device : str, optional
    Where the force kernels run: 'host', 'cpu', 'cuda:0', ...; None is that of the simulation.

Raises
------
ValueError
    If a value is out of its range.)")
        .def("__init__", &make, nb::kw_only(), "kernel"_a = name_of(standard.kernel, kernels),
             "dimensions"_a = standard.dimensions, "neighbours"_a = nb::none(), "gamma"_a = standard.gas.gamma,
             "viscosity"_a = "cullen-dehnen", "viscosity_strength"_a = nb::none(),
             "conductivity"_a = standard.conductivity, "courant"_a = standard.courant,
             "adaptive_softening"_a.none() = nb::none(), "lists"_a = "reuse",
             "reuse_steps"_a = standard.search.reuse_steps, "skin_ratio"_a = standard.search.skin_ratio,
             "group_size"_a = standard.search.group_size, "precision"_a = nb::none(),
             "types"_a = std::vector<double>{0}, "device"_a = nb::none())
        .def_prop_ro("settings", &settings_in_use, "The settings in use, by name.");
}
