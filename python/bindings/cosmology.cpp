// Cosmologies in Python.
#include "cosmology.hpp"

#include <string>

#include "bind_settings.hpp"
#include "bindings.hpp"
#include "parameter_access.hpp"
#include "trellis/base/error.hpp"
#include "trellis/integrate/comoving/growth.hpp"

namespace nb = nanobind;
using namespace nanobind::literals;
using trellis::to_text;

void CosmologySettings::check() const {
    Cosmology::check();
    if (omega_b > omega_m)
        throw trellis::InputError("omega_b is " + to_text(omega_b) + ": allowed is at most omega_m, " +
                                  to_text(omega_m));
    if (sigma_8 > 0 && A_s > 0) throw trellis::InputError("both of sigma_8 and A_s given: allowed is one");
}

CosmologySettings CosmologySettings::in_use() const {
    CosmologySettings settings = *this;
    settings.omega_lambda = dark_energy();
    return settings;
}

namespace {

using Settings = CosmologySettings;

constexpr Parameter<Settings> parameters[] = {
    {.name = "omega_m",
     .value = member<Settings, &Settings::omega_m>,
     .meaning = "density of matter today, baryons among it, over the critical density",
     .limits = {.above = 0, .at_most = 10},
     .required = true},
    {.name = "omega_lambda",
     .value = member<Settings, &Settings::omega_lambda>,
     .meaning = "density of dark energy today over the critical density; if not given, space is flat",
     .limits = {.at_least = -10, .at_most = 10}},
    {.name = "omega_r",
     .value = member<Settings, &Settings::omega_r>,
     .meaning = "density of radiation today, massless neutrinos among it, over the critical density",
     .limits = {.at_least = 0, .at_most = 10}},
    {.name = "w0",
     .value = member<Settings, &Settings::w0>,
     .meaning = "pressure of dark energy today over its density; w(a) = w0 + wa (1 - a)",
     .limits = {.at_most = 0.5},
     .source = "Chevallier & Polarski 2001"},
    {.name = "wa",
     .value = member<Settings, &Settings::wa>,
     .meaning = "change of w towards the past; w0 + wa is below 0"},
    {.name = "H0",
     .value = member<Settings, &Settings::H0>,
     .meaning = "Hubble constant; the default is 100 km/s/Mpc in Gadget's units, kpc/h and km/s",
     .unit = "1 / time",
     .limits = {.above = 0}},
    {.name = "h",
     .value = open_number<Settings, &Settings::h>,
     .meaning = "Hubble constant in 100 km/s/Mpc, for initial conditions and the headers of snapshots; space expands by"
                " H0",
     .limits = {.at_least = 0.1, .at_most = 2}},
    {.name = "omega_b",
     .value = open_number<Settings, &Settings::omega_b>,
     .meaning = "density of baryons today over the critical density, for initial conditions",
     .limits = {.above = 0}},
    {.name = "sigma_8",
     .value = open_number<Settings, &Settings::sigma_8>,
     .meaning = "linear fluctuations of density today, root mean square in spheres of 8 Mpc/h, for initial conditions",
     .limits = {.above = 0, .at_most = 5}},
    {.name = "A_s",
     .value = open_number<Settings, &Settings::A_s>,
     .meaning =
         "amplitude of the primordial power spectrum at 0.05 / Mpc, for initial conditions; instead of sigma_8. By"
         " the formula of Eisenstein & Hu sigma_8 is about 1 % higher than by CAMB",
     .limits = {.above = 0, .at_most = 1e-6}},
    {.name = "n_s",
     .value = open_number<Settings, &Settings::n_s>,
     .meaning = "slope of the primordial power spectrum, for initial conditions",
     .limits = {.above = 0, .at_most = 3}},
};

nb::tuple values_in_use(const Settings& given) {
    const Settings settings = given.in_use();
    nb::list values;
    for (const Parameter<Settings>& each : parameters) values.append(each.value.get(settings));
    return nb::tuple(values);
}

template <double trellis::Growth::* factor>
double grown(const Settings& cosmology, double a) {
    return trellis::growth(cosmology, a).*factor;
}

}  // namespace

void bind_cosmology(nb::module_& core) {
    auto made = bind_settings<Settings>(
        core, "Cosmology",
        "An expanding space: matter, radiation, curvature, and dark energy of w(a) = w0 + wa (1 - a).\n\n"
        "The scale factor a is 1 today, the redshift 1 / a - 1. Comoving positions are x = r / a; the canonical "
        "momentum "
        "of a unit\n"
        "of mass is p = a^2 dx/dt.",
        parameters);
    for (const Parameter<Settings>& each : parameters)
        made.def_prop_ro(
            each.name, [&each](const Settings& cosmology) { return each.value.get(cosmology.in_use()); },
            nb::sig(("def " + std::string(each.name) + "(self) -> " + each.value.type() +
                     (each.value.get(Settings().in_use()).is_none() ? " | None" : ""))
                        .c_str()),
            each.meaning);
    made.def(
        "__eq__",
        [](const Settings& one, const Settings& other) { return values_in_use(one).equal(values_in_use(other)); },
        nb::is_operator(), nb::sig("def __eq__(self, other: object, /) -> bool"), "Equal parameters, given or chosen.");
    made.def(
        "__hash__", [](const Settings& cosmology) { return nb::hash(values_in_use(cosmology)); },
        nb::sig("def __hash__(self) -> int"));
    made.def("hubble", &Settings::hubble, "a"_a, "Hubble rate da/dt / a.");
    made.def("matter_share", &Settings::matter_share, "a"_a, "Density of matter over the critical one at that time.");
    made.def("mean_density", &Settings::mean_density, "G"_a,
             "Mean density of matter in comoving coordinates; `G` is the gravitational constant.");
    made.def("kick_factor", &Settings::kick_factor, "begin"_a, "end"_a,
             "Integral of dt / a between scale factors, to 1e-12: p changes by it times the comoving force sum G m / "
             "x^2\n(Quinn et al. 1997).");
    made.def("drift_factor", &Settings::drift_factor, "begin"_a, "end"_a,
             "Integral of dt / a^2 between scale factors, to 1e-12: x changes by it times p (Quinn et al. 1997).");
    made.def("time", &Settings::time, "a"_a, "Time since a = 0, the age.");
    made.def("scale_factor", &Settings::scale_factor, "time"_a, "Scale factor of a time since a = 0.");
    made.def("D1", &grown<&trellis::Growth::D1>, "a"_a, "Linear growth factor, a while matter outweighs all else.");
    made.def("f1", &grown<&trellis::Growth::f1>, "a"_a, "Rate of linear growth, d ln D1 / d ln a.");
    made.def("D2", &grown<&trellis::Growth::D2>, "a"_a,
             "Growth factor of second order, -3/7 D1^2 while matter outweighs all else.");
    made.def("f2", &grown<&trellis::Growth::f2>, "a"_a, "Rate of growth of second order, d ln D2 / d ln a.");
}
