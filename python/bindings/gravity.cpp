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
using trellis::ForceSettings;
using trellis::LetScheme;
using trellis::Method;
using trellis::Send;

namespace {

constexpr Names<Criterion, 2> criteria{{{"geometric", Criterion::geometric}, {"relative", Criterion::relative}}};
constexpr Names<Method, 2> methods{{{"tree", Method::tree}, {"fmm", Method::fmm}}};
constexpr Names<LetScheme, 3> schemes{{{"domain-tree", LetScheme::domain_tree},
                                       {"all-gather", LetScheme::all_gather},
                                       {"all-to-all", LetScheme::all_to_all}}};
constexpr Names<Send, 2> sends{{{"particles", Send::particles}, {"indices", Send::indices}}};

using Text = std::optional<std::string>;

void make(GravitySettings* self, double G, double softening, double accuracy, std::optional<double> theta,
          const Text& criterion, const Text& method, std::optional<int> order, std::optional<std::uint32_t> group_size,
          std::optional<std::uint32_t> leaf_size, const Text& precision, bool tune_sizes, const std::string& lists,
          std::uint32_t reuse_steps, double opening_growth, bool trust_reuse_steps, bool compress,
          const std::string& send, const std::string& let, const Text& device) {
    if (theta && !(*theta > 0))
        throw trellis::InputError("theta is " + trellis::to_text(*theta) + ": allowed is above 0");
    const GravitySettings settings{
        softening,
        G,
        {.accuracy = accuracy,
         .theta = theta.value_or(0),
         .method = by_name("method", method, methods, Method::automatic),
         .criterion = by_name("criterion", criterion, criteria, Criterion::automatic),
         .order = given_or_chosen("order", order),
         .group_size = given_or_chosen("group_size", group_size),
         .leaf_size = given_or_chosen("leaf_size", leaf_size),
         .precision = by_name("precision", precision, precisions, trellis::Precision::automatic),
         .tune_sizes = tune_sizes,
         .lists = by_name("lists", lists, lists_names),
         .reuse_steps = reuse_steps,
         .opening_growth = opening_growth,
         .trust_reuse_steps = trust_reuse_steps,
         .send = by_name("send", send, sends),
         .let = by_name("let", let, schemes),
         .compress = compress},
        device};
    settings.make_gravity();  // throws for settings that cannot be used
    new (self) GravitySettings(settings);
}

// The settings in use, after all open ones have been chosen.
nb::dict settings_in_use(const GravitySettings& given) {
    const trellis::ForceChoice choice = given.make_gravity()->choice();
    nb::dict settings;
    settings["G"] = given.G;
    settings["softening"] = given.softening;
    settings["accuracy"] = given.force.accuracy;
    settings["theta"] = choice.opening.theta;
    settings["criterion"] = name_of(choice.criterion, criteria);
    settings["method"] = choice.opening.receiver == trellis::Receiver::cell ? "fmm" : "tree";
    settings["order"] = choice.opening.order;
    settings["group_size"] = choice.group_size;
    settings["leaf_size"] = choice.leaf_size;
    settings["precision"] = name_of(given.force.precision, precisions);
    settings["tune_sizes"] = given.force.tune_sizes;
    settings["lists"] = name_of(given.force.lists, lists_names);
    settings["reuse_steps"] = choice.reuse_steps;
    settings["opening_growth"] = choice.opening_growth;
    settings["trust_reuse_steps"] = choice.trust_reuse_steps;
    settings["compress"] = given.force.compress;
    settings["send"] = name_of(given.force.send, sends);
    settings["let"] = name_of(given.force.let, schemes);
    settings["device"] = given.device;
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

The potential of a mass m at distance r is -G m / sqrt(r^2 + softening^2). The parameters from `criterion` on say how;
the paper is Iwasawa et al. (2020). Where None is the default, it chooses by `accuracy`.

Parameters
----------
G : float
    Gravitational constant, above 0, in length^3 / (mass time^2) of the particles' units.
softening : float
    Plummer's softening length, 0 or more, in units of length.
accuracy : float
    Wanted root-mean-square relative error of the accelerations, between 0 and 1.
theta : float, optional
    Opening angle (Barnes & Hut 1986), instead of an accuracy: cells of size s at distance d may act as a whole if s /
    d < theta, in radians; below 1 with fmm, below 2 with tree.
criterion : {'geometric', 'relative'}, optional
    Opening criterion: by angle, or by the error relative to the last acceleration (Springel 2005, equation 18).
method : {'tree', 'fmm'}, optional
    Sums over particles and cells (Barnes & Hut 1986), or the fast multipole method (Greengard & Rokhlin 1987, Dehnen
    2002).
order : int, optional
    Order of the multipole expansion: 1 monopole, 2 quadrupole, ...; 1 or 2 with tree, 2 to 5 with fmm.
group_size, leaf_size : int, optional
    Most i-particles that share one interaction list (n_grp; Barnes 1990), and most particles in a leaf (n_leaf).
precision : {'single', 'double'}, optional
    Arithmetic of the force kernels; None is single, where its range suffices.
tune_sizes : bool
    Find `group_size` and `leaf_size`, where neither is given, by trying some at the first step; those found are kept
    for the next time in the user's cache folder. Other sizes give other last digits.
lists : {'rebuild', 'reuse'}
    Rebuild tree and interaction lists at each step, or keep them over steps while they are still valid (the paper,
    section 4.2).
reuse_steps : int
    Reuse: steps that one set of lists serves at most (the paper's n_reuse).
opening_growth : float
    Reuse: share, 0 to 1, by which the size of a listed cell over its distance may grow before lists are rebuilt early.
trust_reuse_steps : bool
    Reuse without looking at `opening_growth`.
compress : bool
    Send other ranks no more digits than the accuracy asks, and in later steps differences alone.
send : {'particles', 'indices'}
    With a device: send it the particles of each list, or all particles once and lists that name them (the paper's
    methods G1, and G2 and G3; section 4.1).
let : {'domain-tree', 'all-gather', 'all-to-all'}
    With several ranks: how they exchange local essential trees. Many distant ranks as one cell (the paper, section
    7.2); every rank as one cell, where it is far (section 6.3); or a tree from every rank to every other (Iwasawa et
    al. 2016).
device : str, optional
    Where the force kernels run: 'host', 'cpu', 'cuda:0', ...; None is that of the simulation.

Raises
------
ValueError
    If a value is out of its range.)")
        .def("__init__", &make, nb::kw_only(), "G"_a = 1.0, "softening"_a = 0.0, "accuracy"_a = standard.accuracy,
             "theta"_a = nb::none(), "criterion"_a = nb::none(), "method"_a = nb::none(), "order"_a = nb::none(),
             "group_size"_a = nb::none(), "leaf_size"_a = nb::none(), "precision"_a = nb::none(),
             "tune_sizes"_a = standard.tune_sizes, "lists"_a = "rebuild", "reuse_steps"_a = standard.reuse_steps,
             "opening_growth"_a = standard.opening_growth, "trust_reuse_steps"_a = standard.trust_reuse_steps,
             "compress"_a = standard.compress, "send"_a = "indices", "let"_a = "domain-tree", "device"_a = nb::none())
        .def_prop_ro("settings", &settings_in_use, "The settings in use, by name: those left open have been chosen.");
}
