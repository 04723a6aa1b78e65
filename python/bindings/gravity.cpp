#include "gravity.hpp"

#include <nanobind/stl/map.h>
#include <nanobind/stl/pair.h>

#include <algorithm>

#include "bind_settings.hpp"
#include "bindings.hpp"
#include "common_parameters.hpp"
#include "trellis/base/error.hpp"
#include "trellis/devices/device_kind.hpp"
#include "trellis/ensembles/built_in.hpp"
#include "trellis/forces/decorators/scheduled_force.hpp"
#include "trellis/mesh/lines/lines.hpp"

namespace nb = nanobind;
using trellis::Criterion;
using trellis::Method;
using trellis::Send;
using trellis::SofteningOfEach;
using All = GravitySettings;
using Tree = trellis::ForceSettings;
using Mesh = trellis::TreeMeshSettings;

namespace {

constexpr Names<Criterion, 2> criteria{{{"geometric", Criterion::geometric}, {"relative", Criterion::relative}}};
constexpr Names<Method, 3> methods{{{"tree", Method::tree}, {"fmm", Method::fmm}, {"treepm", Method::treepm}}};
constexpr Names<Send, 2> sends{{{"particles", Send::particles}, {"indices", Send::indices}}};

// A number for all particles, a dictionary of numbers by type, or "particles": that of each.
constexpr const char* of_each_particle = "particles";

std::string type_of_softening() {
    return "float | dict[str, float] | typing.Literal['" + std::string(of_each_particle) + "']";
}

bool set_softening(All& settings, const char*, nb::handle value) {
    double length = 0;
    if (nb::try_cast(value, length)) return settings.softening = length, true;
    SofteningOfEach of_each;
    if (nb::isinstance<nb::dict>(value)) {
        if (!nb::try_cast(value, of_each.by_type)) return false;
        if (of_each.by_type.empty()) throw trellis::InputError("softening names no type of particles");
    } else if (!nb::isinstance<nb::str>(value) || nb::str(value).c_str() != std::string(of_each_particle)) {
        return false;
    }
    return settings.softening = of_each, true;
}

nb::object get_softening(const All& settings) {
    if (const auto* length = std::get_if<double>(&settings.softening)) return nb::cast(*length);
    const auto& by_type = std::get<SofteningOfEach>(settings.softening).by_type;
    return by_type.empty() ? nb::object(nb::str(of_each_particle)) : nb::cast(by_type);
}

using Number = double Tree::*;
using Changing = ByRedshift All::*;

std::string type_of_changing() {
    return "float | collections.abc.Sequence[tuple[float, float] | collections.abc.Sequence[float]]";
}

void check_by_redshift(const char* name, const Limits& limits, const ByRedshift& pairs) {
    const std::string start = std::string(name) + " has ";
    if (pairs.empty())
        throw trellis::InputError(std::string(name) +
                                  " is an empty list: allowed are pairs of a"
                                  " redshift and a value");
    for (std::size_t k = 0; k < pairs.size(); ++k) {
        const auto [redshift, value] = pairs[k];
        if (!(redshift > -1) || (k > 0 && !(redshift < pairs[k - 1].first)))
            throw trellis::InputError(start + "the redshift " + trellis::to_text(redshift) +
                                      ": allowed are redshifts above -1 that fall");
        if (!limits.allow(value))
            throw trellis::InputError(start + trellis::to_text(value) + " at redshift " + trellis::to_text(redshift) +
                                      ": allowed is " + limits.text());
    }
}

// A number, or pairs of a redshift and a number.
template <Number number, Changing changing, const Limits& limits>
bool set_changing(All& settings, const char* name, nb::handle value) {
    ByRedshift pairs;
    if (!nb::try_cast(value, settings.force.*number)) {
        if (nb::isinstance<nb::str>(value) || !nb::try_cast(value, pairs)) return false;
        check_by_redshift(name, limits, pairs);
        settings.force.*number = pairs.front().second;
    }
    settings.*changing = pairs;
    return true;
}

template <Number number, Changing changing>
nb::object get_changing(const All& settings) {
    if (!(settings.*changing).empty()) return nb::cast(settings.*changing);
    return settings.force.*number == 0 ? nb::none() : nb::cast(settings.force.*number);
}

template <Number number, Changing changing, const Limits& limits>
constexpr Access<All> number_or_pairs{.type = &type_of_changing,
                                      .set = &set_changing<number, changing, limits>,
                                      .get = &get_changing<number, changing>,
                                      .highest = {}};

constexpr Limits limits_of_accuracy{.at_least = trellis::finest_accuracy, .below = 1}, limits_of_theta{.above = 0};

constexpr Parameter<All> parameters[] = {
    {.name = "G",
     .value = member<All, &All::G>,
     .meaning = "gravitational constant",
     .unit = "length^3 / (mass time^2)",
     .limits = {.above = 0}},
    {.name = "softening",
     .value = {.type = &type_of_softening, .set = &set_softening, .get = &get_softening, .highest = highest<double>},
     .meaning = "Plummer's softening length: the potential of a mass m at distance r is -G m / sqrt(r^2 + softening^2);"
                " by type of particles, such as gas and halo, or 'particles', the field `softening` of each: then that"
                " of two is the square root of the mean of their squares",
     .unit = "length",
     .limits = {.at_least = 0}},
    {.name = "softening_max_physical",
     .value = open_number<All, &All::softening_max_physical>,
     .meaning = "in expanding space, the largest softening length in physical coordinates: a comoving one that has"
                " grown to it stays there; one length, also of softenings by type",
     .unit = "length",
     .limits = {.above = 0}},
    {.name = "accuracy",
     .value = number_or_pairs<&Tree::accuracy, &All::accuracy_by_redshift, limits_of_accuracy>,
     .meaning = "wanted root-mean-square relative error of the accelerations; it chooses whatever of the following is"
                " not given; in expanding space also pairs of a redshift and the value from there on, as of theta",
     .limits = limits_of_accuracy},
    {.name = "theta",
     .value = number_or_pairs<&Tree::theta, &All::theta_by_redshift, limits_of_theta>,
     .meaning = "opening angle, instead of an accuracy: a cell of size s at distance d may act as a whole if s / d <"
                " theta; below 1 with fmm and treepm, below 2 with tree; in expanding space also pairs of a redshift "
                "and the value"
                " from there on, such as [[49, 0.3], [10, 0.5]]",
     .unit = "radians",
     .limits = limits_of_theta,
     .source = "Barnes & Hut 1986"},
    {.name = "criterion",
     .value = choice<All, criteria, &All::force, &Tree::criterion>,
     .meaning = "opening criterion: by angle (geometric), or by the error relative to the last acceleration (relative;"
                " Springel 2005, equation 18); if not given, geometric with a theta, relative with an accuracy"},
    {.name = "method",
     .value = choice<All, methods, &All::force, &Tree::method>,
     .meaning =
         "sums over particles and cells (tree; Barnes & Hut 1986), or between cells as well (fmm, the fast"
         " multipole method; Greengard & Rokhlin 1987, Dehnen 2002), or in a periodic box by fmm within a cutoff and"
         " a mesh beyond (treepm; Xu 1995, Wang 2020); if not given, treepm where the box is periodic along all axes "
         "and"
         " it is possible, else fmm"},
    {.name = "mesh_cells",
     .value = open_number<All, &All::mesh, &Mesh::cells>,
     .meaning =
         "treepm: cells of the mesh along the longest side of the box; if not given, twice as many as particles along"
         " each axis",
     .limits = {.at_least = 4}},
    {.name = "mesh_cutoff",
     .value = open_number<All, &All::mesh, &Mesh::cutoff>,
     .meaning = "treepm: distance from which the mesh has the whole force, in cells of the mesh; if not given, chosen"
                " for the accuracy",
     .limits = {.above = 0},
     .source = "S2 of Hockney & Eastwood 1981"},
    {.name = "order",
     .value = open_number<All, &All::force, &Tree::order>,
     .meaning = "order of the multipole expansion: 1 monopole, 2 quadrupole, ...; 1 or 2 with tree, 2 to 5 with fmm "
                "and treepm",
     .limits = {.at_least = 1}},
    group_size_parameter<All, &All::force>,
    leaf_size_parameter<All, &All::force>,
    precision_parameter<All, &All::force, &Tree::precision>,
    tune_sizes_parameter<All, &All::force>,
    tree_lists_parameter<All, &All::force>,
    reuse_steps_parameter<All, &All::force, &Tree::reuse_steps>,
    opening_growth_parameter<All, &All::force>,
    trust_reuse_steps_parameter<All, &All::force>,
    compress_parameter<All, &All::force>,
    {.name = "send",
     .value = choice<All, sends, &All::force, &Tree::send>,
     .meaning = "with a device: send it the particles of each list, or all particles once and lists of their indices",
     .source = "Iwasawa et al. 2020, section 4.1: methods G1, and G2 and G3"},
    let_parameter<All, &All::force>,
    device_parameter<All>,
};

}  // namespace

std::unique_ptr<trellis::ForceByTree> GravitySettings::make_tree_mesh(const trellis::ForceSettings& settings,
                                                                      const trellis::Devices& devices) const {
    if (softening_max_physical != 0)
        throw trellis::InputError("softening_max_physical is given: allowed with method fmm or tree");
    if (const auto length = one_softening()) return trellis::tree_mesh_gravity(*length, G, settings, mesh, devices);
    return trellis::tree_mesh_gravity(std::get<SofteningOfEach>(softening), G, settings, mesh, devices);
}

std::unique_ptr<trellis::ForceByTree> GravitySettings::make_gravity(const trellis::ForceSettings& settings,
                                                                    const trellis::Devices& devices) const {
    if (settings.method == Method::treepm) return make_tree_mesh(settings, devices);
    if (mesh.cells != 0 || mesh.cutoff != 0)
        throw trellis::InputError("mesh_cells and mesh_cutoff are of method treepm: allowed with it alone");
    return std::visit([&](const auto& softening) { return trellis::gravity(softening, G, settings, devices); },
                      softenings());
}

// In expanding space the time is the scale factor.
std::unique_ptr<trellis::Force> GravitySettings::make(const trellis::Devices& devices) const {
    const bool angles = !theta_by_redshift.empty();
    const ByRedshift& pairs = angles ? theta_by_redshift : accuracy_by_redshift;
    if (pairs.empty()) return make_gravity(devices);
    if (angles && !accuracy_by_redshift.empty())
        throw trellis::InputError("theta and accuracy are both given by redshift: allowed is one of them");
    std::vector<double> begins;
    for (const auto& [redshift, value] : pairs) begins.push_back(1 / (1 + redshift));
    const auto of_stage = [all = *this, angles, pairs](std::size_t stage, const trellis::Devices& on) {
        Tree settings = all.force;
        (angles ? settings.theta : settings.accuracy) = pairs[stage].second;
        return all.make_gravity(settings, on);
    };
    return std::make_unique<trellis::ScheduledForce>(std::move(begins), of_stage, devices);
}

GravitySettings GravitySettings::in_use() const {
    const trellis::ForceChoice choice = make_gravity()->choice();
    GravitySettings used = *this;
    used.force.theta = choice.opening.theta;
    used.force.criterion = choice.criterion;
    if (force.method == Method::treepm) {
        if (mesh.cutoff == 0) used.mesh.cutoff = trellis::tree_mesh_cutoff(force.accuracy);
    } else {
        used.force.method = choice.opening.receiver == trellis::Receiver::cell ? Method::fmm : Method::tree;
    }
    used.force.order = choice.opening.order;
    used.force.group_size = trellis::sized_for(force, trellis::name_gpus(device)).group_size;
    if (used.force.group_size == 0) used.force.group_size = choice.group_size;
    used.force.leaf_size = choice.leaf_size;
    used.force.reuse_steps = choice.reuse_steps;
    return used;
}

GravitySettings GravitySettings::in_periodic_box() const {
    GravitySettings chosen = *this;
    double finest = force.accuracy;
    for (const auto& [redshift, accuracy] : accuracy_by_redshift) finest = std::min(finest, accuracy);
    const bool on_host = device.empty() || device == std::vector<std::string>{"host"};
    const bool served = on_host && softening_max_physical == 0 && force.order != 1 &&
                        finest >= trellis::finest_tree_mesh_accuracy && !trellis::fourier_library().empty();
    if (force.method == Method::automatic && served) chosen.force.method = Method::treepm;
    return chosen;
}

std::optional<double> GravitySettings::one_softening() const {
    const auto* length = std::get_if<double>(&softening);
    return length == nullptr ? std::nullopt : std::optional(*length);
}

trellis::GravitySoftening GravitySettings::softenings() const {
    const bool limited = softening_max_physical != 0;
    if (const auto* length = std::get_if<double>(&softening)) {
        trellis::ComovingSoftening one{.comoving = *length};
        if (limited) one.max_physical = softening_max_physical;
        return one;
    }
    SofteningOfEach each = std::get<SofteningOfEach>(softening);
    if (limited) each.max_physical = softening_max_physical;
    return each;
}

SystemsForce GravitySettings::among_systems() const {
    if (softening_max_physical != 0 || !theta_by_redshift.empty() || !accuracy_by_redshift.empty())
        throw trellis::InputError("gravity changes with redshift, but small systems know no expanding space");
    const std::optional<double> length = one_softening();
    if (!length)
        throw trellis::InputError(
            "softening differs between particles, but among those of small systems allowed is one length");
    return systems_force(trellis::built_in_systems(trellis::BuiltIn::gravity), trellis::checked_gravity(*length, G));
}

void bind_gravity(nb::module_& core) {
    bind_settings<All, AnyForce>(core, "Gravity",
                                 "Gravity with Plummer softening, and how its sum is approximated.\n\n"
                                 "What is not given is chosen by `accuracy`.",
                                 parameters)
        .def("in_periodic_box", &All::in_periodic_box,
             "The same by the method that takes least time in a box that is periodic along all axes, if none is "
             "given:\ntreepm, on the host, for accuracies of 9e-5 or more, without softening_max_physical.");
}
