// Smoothed particle hydrodynamics in Python.
#include "trellis/forces/sph/sph_force.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "bind_settings.hpp"
#include "bindings.hpp"
#include "common_parameters.hpp"
#include "gravity.hpp"
#include "trellis/forces/decorators/among_types.hpp"
#include "trellis/forces/sph/smoothing_length.hpp"

namespace nb = nanobind;
using trellis::Conduction;
using trellis::ConstantViscosity;
using trellis::CullenDehnenViscosity;
using trellis::IdealGas;
using trellis::IsothermalGas;
using trellis::MorrisMonaghanViscosity;
using trellis::Smoothing;
using trellis::ViscositySwitch;

template <>
struct PythonType<std::shared_ptr<const GravitySettings>> {
    static std::string name() { return "Gravity"; }
};

namespace {

constexpr Names<Smoothing, 3> kernels{{{"cubic-spline", Smoothing::cubic_spline},
                                       {"wendland-c2", Smoothing::wendland_c2},
                                       {"wendland-c4", Smoothing::wendland_c4}}};
constexpr Names<Conduction, 2> conductions{{{"pressure", Conduction::pressure}, {"flow", Conduction::flow}}};
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
    std::unique_ptr<trellis::Force> make(const trellis::Devices& devices) const override {
        trellis::SphSettings there = chosen();
        there.search.device = devices;
        return std::make_unique<trellis::AmongTypes>(std::make_unique<trellis::SphForce>(there),
                                                     std::vector<double>(types.begin(), types.end()));
    }
    std::unique_ptr<trellis::Force> make_with(DevicesOfForces& devices) const override {
        SphSettings there = *this;
        if (neighbours_device) there.gas.neighbours_device = devices.alone(*neighbours_device);
        return there.make(devices.of(*this));
    }
    trellis::SphSettings chosen() const {
        trellis::SphSettings all = gas;
        all.gas = equation_of_state();
        all.neighbours = neighbours_or(neighbours, gas.dimensions);
        all.viscosity = viscosity_of(viscosity, viscosity_strength);
        all.conduction = conduction.value_or(Conduction::pressure);
        if (softened) all.adaptive_softening = {softened->one_softening(), softened->G};
        return all;
    }
    trellis::EquationOfState equation_of_state() const {
        if (!sound_speed) return IdealGas{gamma};
        if (gamma != IdealGas().gamma)
            throw trellis::InputError("gamma is " + trellis::to_text(gamma) +
                                      ", but sound_speed is given: a gas of one temperature has no gamma");
        return IsothermalGas{*sound_speed};
    }
    // The settings of a gas that other forces act beside.
    SphSettings beside_others() const {
        SphSettings chosen = *this;
        chosen.conduction = conduction.value_or(Conduction::flow);
        return chosen;
    }
    // With all open ones chosen.
    SphSettings in_use() const {
        const trellis::SphSettings all = chosen();
        SphSettings used = *this;
        used.neighbours = all.neighbours;
        used.conduction = all.conduction;
        used.viscosity_strength = std::visit([](const auto& kind) { return kind.strength(); }, all.viscosity);
        return used;
    }

    double gamma = IdealGas().gamma;
    std::optional<double> sound_speed, neighbours, viscosity_strength;
    std::optional<Conduction> conduction;
    Switch viscosity = static_cast<Switch>(trellis::SphSettings().viscosity.index());
    std::shared_ptr<const GravitySettings> softened;
    std::vector<int> types{0};
    std::optional<std::string> neighbours_device;
    trellis::SphSettings gas;  // those above apart
};

using All = SphSettings;
using Gas = trellis::SphSettings;
using Search = trellis::ShortRangeSettings;

constexpr Parameter<All> parameters[] = {
    {.name = "kernel",
     .value = choice<All, kernels, &All::gas, &Gas::kernel>,
     .meaning = "smoothing kernel",
     .source = "Monaghan & Lattanzio 1985; Dehnen & Aly 2012, Table 1"},
    {.name = "dimensions",
     .value = member<All, &All::gas, &Gas::dimensions>,
     .meaning = "dimensions of the gas; along the other axes all particles are at one place",
     .limits = {.at_least = 1, .at_most = 3}},
    {.name = "neighbours",
     .value = member<All, &All::neighbours>,
     .meaning = "particles, itself included, in the ball (in 2D the disc, in 1D the stretch) that the kernel of a"
                " particle covers: of radius h, the smoothing length; if not given, 64 in 3D, 19.3 in 2D and 4.96 in"
                " 1D, of the same radius in distances between particles",
     .limits = {.above = 0}},
    {.name = "gamma",
     .value = member<All, &All::gamma>,
     .meaning = "ratio of specific heats: pressure = (gamma - 1) density internal_energy",
     .limits = {.above = 1}},
    {.name = "sound_speed",
     .value = member<All, &All::sound_speed>,
     .meaning = "the gas has one temperature, and sound this speed c: pressure = c^2 density, without gamma,"
                " internal energies and artificial conduction; if not given, the gas is that of gamma",
     .unit = "length / time",
     .limits = {.above = 0}},
    {.name = "viscosity",
     .value = choice<All, switches, &All::viscosity>,
     .meaning = "switch of the artificial viscosity: constant with the limiter of Balsara (1995), Morris & Monaghan"
                " (1997), or Cullen & Dehnen (2010)"},
    {.name = "viscosity_strength",
     .value = member<All, &All::viscosity_strength>,
     .meaning = "largest alpha of the viscosity; if not given, 1, 1 and 2 in the order of the switches, those of their"
                " authors",
     .limits = {.at_least = 0},
     .source = "Monaghan 1997"},
    {.name = "conductivity",
     .value = member<All, &All::gas, &Gas::conductivity>,
     .meaning = "strength alpha_u of artificial conduction; 0: none",
     .limits = {.at_least = 0}},
    {.name = "conduction",
     .value = choice<All, conductions, &All::conduction>,
     .meaning = "where artificial conduction acts: where pressures differ (pressure; Price 2008), or where particles"
                " approach or part (flow; Wadsley et al. 2008), as in a gas whose pressure gravity or another force"
                " holds; if not given, flow beside other forces, pressure without"},
    {.name = "courant",
     .value = member<All, &All::gas, &Gas::courant>,
     .meaning = "longest time step allowed, over the time in which signals cross h: C in C h / v_sig; 0.3 is Gadget's"
                " 0.15",
     .limits = {.above = 0},
     .source = "Springel 2005"},
    {.name = "adaptive_softening",
     .value = member<All, &All::softened>,
     .meaning = "the gravity that acts beside this force, in three dimensions: below the smoothing length it is then"
                " that of masses spread as the smoothing kernel, not of points with its softening, which must be above"
                " 0",
     .source = "Price & Monaghan 2007"},
    neighbour_lists_parameter<All, &All::gas, &Gas::search, &Search::lists>,
    reuse_steps_parameter<All, &All::gas, &Gas::search, &Search::reuse_steps>,
    {.name = "skin_ratio",
     .value = member<All, &All::gas, &Gas::search, &Search::skin_ratio>,
     .meaning = "reuse: the length by which lists go beyond a particle's h, over h; not given: 0.15",
     .limits = {.at_least = 0, .at_most = 1}},
    {.name = "group_size",
     .value = open_number<All, &All::gas, &Gas::search, &Search::group_size>,
     .meaning = "most i-particles that share one search for neighbours, n_grp; not given: 128, from 16,384 particles"
                " on 256",
     .limits = {.at_least = 1}},
    precision_parameter<All, &All::gas, &Gas::search, &Search::precision>,
    {.name = "types",
     .value = member<All, &All::types>,
     .meaning = "which types of particles are gas, where they have a field `type`, as those of Gadget's files; others"
                " neither feel it nor act on it"},
    device_parameter<All>,
    {.name = "neighbours_device",
     .value = member<All, &All::neighbours_device>,
     .meaning = "device that makes the neighbour lists, each set asked for at the step before it is wanted, while the"
                " host goes on; if not given, or host, they are made by the host when they are wanted",
     .source = "Nakasato et al. 1997, case PS-RGN"},
};

}  // namespace

void bind_sph(nb::module_& core) {
    bind_settings<All, AnyForce>(
        core, "Sph",
        "An ideal or isothermal gas, by smoothed particle hydrodynamics.\n\n"
        "Particles need a field ``internal_energy`` (of a unit of mass), which evolves; with ``sound_speed`` none is\n"
        "read or changed, and the energy of a unit of mass is ``isothermal_energy``. They get ``density``,\n"
        "``pressure``, ``smoothing_length`` (the radius of the kernel's support) and others; a ``smoothing_length``\n"
        "that is there is where the search for it begins. With `Gravity` beside it the gas attracts itself.",
        parameters)
        .def("beside_others", &All::beside_others,
             "The same for a gas that other forces act beside: if no conduction is given, that by the flow.");
}
