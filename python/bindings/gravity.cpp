#include "gravity.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <optional>
#include <string>

#include "bindings.hpp"
#include "names.hpp"
#include "trellis/base/error.hpp"

namespace nb = nanobind;
using namespace nanobind::literals;
using trellis::Criterion;
using trellis::EssentialScheme;
using trellis::ForceSettings;
using trellis::Method;
using trellis::Send;

namespace {

constexpr Names<Criterion, 3> openings{
    {{"auto", Criterion::automatic}, {"geometric", Criterion::geometric}, {"relative", Criterion::relative}}};
constexpr Names<Method, 3> methods{{{"auto", Method::automatic}, {"tree", Method::tree}, {"fmm", Method::fmm}}};
constexpr Names<EssentialScheme, 3> schemes{{{"domain-tree", EssentialScheme::domain_tree},
                                             {"all-gather", EssentialScheme::all_gather},
                                             {"all-to-all", EssentialScheme::all_to_all}}};
constexpr Names<Send, 2> sends{{{"particles", Send::particles}, {"indices", Send::indices}}};

void make(GravitySettings* self, double G, double softening, double accuracy, std::optional<double> theta,
          const std::string& opening, const std::string& method, int order, std::uint32_t group_size,
          std::uint32_t leaf_size, const std::string& precision, bool tune_sizes, const std::string& lists,
          std::uint32_t reuse_steps, double skin, bool trust_reuse_steps, bool compress, const std::string& send,
          const std::string& let) {
    if (theta && !(*theta > 0))
        throw trellis::InputError("theta is " + trellis::to_text(*theta) + ": allowed is above 0");
    const GravitySettings settings{softening,
                                   G,
                                   {.accuracy = accuracy,
                                    .theta = theta.value_or(0),
                                    .method = by_name("method", method, methods),
                                    .criterion = by_name("opening", opening, openings),
                                    .order = order,
                                    .group_size = group_size,
                                    .leaf_size = leaf_size,
                                    .precision = by_name("precision", precision, precisions),
                                    .tune_sizes = tune_sizes,
                                    .lists = by_name("lists", lists, lists_names),
                                    .reuse_steps = reuse_steps,
                                    .skin = skin,
                                    .trust_reuse_steps = trust_reuse_steps,
                                    .send = by_name("send", send, sends),
                                    .essential = by_name("let", let, schemes),
                                    .compress = compress}};
    settings.make_gravity();  // throws for what cannot be used
    new (self) GravitySettings(settings);
}

// What is in use after everything that was left open has been chosen.
nb::dict settings_in_use(const GravitySettings& given) {
    const trellis::ForceChoice choice = given.make_gravity()->choice();
    nb::dict settings;
    settings["G"] = given.G;
    settings["softening"] = given.softening;
    settings["accuracy"] = given.force.accuracy;
    settings["theta"] = choice.opening.theta;
    settings["opening"] = name_of(choice.criterion, openings);
    settings["method"] = choice.opening.receiver == trellis::Receiver::cell ? "fmm" : "tree";
    settings["order"] = choice.opening.order;
    settings["group_size"] = choice.group_size;
    settings["leaf_size"] = choice.leaf_size;
    settings["precision"] = name_of(given.force.precision, precisions);
    settings["tune_sizes"] = given.force.tune_sizes;
    settings["lists"] = name_of(given.force.lists, lists_names);
    settings["reuse_steps"] = choice.reuse_steps;
    settings["skin"] = choice.skin;
    settings["trust_reuse_steps"] = choice.trust_reuse_steps;
    settings["compress"] = given.force.compress;
    settings["send"] = name_of(given.force.send, sends);
    settings["let"] = name_of(given.force.essential, schemes);
    return settings;
}

}  // namespace

std::string GravitySettings::text() const {
    const auto number = [](double value) { return trellis::to_text(value); };
    const std::string wish = force.theta > 0 ? "theta=" + number(force.theta) : "accuracy=" + number(force.accuracy);
    return "Gravity(G=" + number(G) + ", softening=" + number(softening) + ", " + wish + ")";
}

void bind_gravity(nb::module_& core) {
    const ForceSettings standard;
    nb::class_<GravitySettings, AnyForce>(core, "Gravity",
                                          R"(Gravity with Plummer softening, and how its sum is approximated.

The potential of a mass m at distance r is -G m / sqrt(r^2 + softening^2).

Parameters
----------
G : float
    Gravitational constant in the units of the particles.
softening : float
    Softening length.
accuracy : float
    Wanted root-mean-square relative force error; sets whatever of the following is left open.
theta : float, optional
    Opening angle: cells of size s at distance d may act as a whole if s / d < theta.
opening : {'auto', 'geometric', 'relative'}
    Opening criterion: by angle, or by the error relative to the last acceleration.
method : {'auto', 'tree', 'fmm'}
    Sums over particles and cells, or the fast multipole method.
order : int
    Order of the multipole expansion: 1 monopole, 2 quadrupole, ...; 0 chooses.
group_size, leaf_size : int
    Most i-particles that share one interaction list, and most particles in a leaf; 0 chooses.
precision : {'auto', 'single', 'double'}
    Arithmetic of the force kernels.
tune_sizes : bool
    Find `group_size` and `leaf_size`, where neither is given, by trying some at the first step; what was found is kept for
    the next time in the user's cache folder. Other sizes give other last digits.
lists : {'rebuild', 'reuse'}
    Make tree and interaction lists anew at each step, or keep them over steps while they hold.
reuse_steps : int
    Reuse: steps that one set of lists serves at most (the paper's n_reuse).
skin : float
    Reuse: share by which the size of a listed cell over its distance may grow before lists are made early.
trust_reuse_steps : bool
    Reuse without looking at the skin.
compress : bool
    Send other ranks no more digits than the accuracy asks, and in later steps differences alone.
send : {'particles', 'indices'}
    With a device: send it the particles of each list, or all particles once and lists that name them.
let : {'domain-tree', 'all-gather', 'all-to-all'}
    With several ranks: how they learn of each other's particles, that is of local essential trees. Many distant ranks as
    one cell; every rank as one cell, where it is far; or a tree from every rank to every other.

Raises
------
ValueError
    If a value is out of its range.)")
        .def("__init__", &make, nb::kw_only(), "G"_a = 1.0, "softening"_a = 0.0, "accuracy"_a = standard.accuracy,
             "theta"_a = nb::none(), "opening"_a = "auto", "method"_a = "auto", "order"_a = standard.order,
             "group_size"_a = standard.group_size, "leaf_size"_a = standard.leaf_size, "precision"_a = "auto",
             "tune_sizes"_a = false, "lists"_a = "rebuild", "reuse_steps"_a = standard.reuse_steps,
             "skin"_a = standard.skin, "trust_reuse_steps"_a = standard.trust_reuse_steps,
             "compress"_a = standard.compress, "send"_a = "indices", "let"_a = "domain-tree")
        .def_prop_ro("settings", &settings_in_use, "The settings in use, by name: what was left open has been chosen.");
}
