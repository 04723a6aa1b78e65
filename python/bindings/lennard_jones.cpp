// Lennard-Jones in Python.
#include "trellis/forces/molecules/lennard_jones_force.hpp"

#include <nanobind/stl/tuple.h>

#include <algorithm>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "bind_settings.hpp"
#include "bindings.hpp"
#include "common_parameters.hpp"
#include "excluded_pairs.hpp"
#include "trellis/base/error.hpp"
#include "trellis/ensembles/built_in.hpp"

namespace nb = nanobind;
using trellis::InputError;
using trellis::MixingRule;
using trellis::Mixture;
using trellis::ShortRangeSettings;
using trellis::Truncation;

namespace {

constexpr Names<Truncation, 4> truncations{{{"plain", Truncation::plain},
                                            {"energy-shifted", Truncation::energy_shifted},
                                            {"force-shifted", Truncation::force_shifted},
                                            {"switched", Truncation::switched}}};
constexpr Names<MixingRule, 2> rules{
    {{"lorentz-berthelot", MixingRule::lorentz_berthelot}, {"geometric", MixingRule::geometric}}};

struct LennardJonesSettings final : AnyForce {
    std::unique_ptr<trellis::Force> make(const trellis::Devices& devices) const override {
        check_together();
        ShortRangeSettings there = search;
        there.skin_ratio = skin_ratio();
        there.device = devices;
        if (!mixture.kinds.empty()) return trellis::lennard_jones(whole_mixture(), there);
        return trellis::lennard_jones(epsilon, sigma, reach(), truncation, there, switch_ratio());
    }
    SystemsForce among_systems() const override {
        if (!mixture.kinds.empty())
            throw InputError(
                "kinds are given, but small systems have atoms of one kind: allowed are epsilon and sigma, and"
                " pair_potential with matrices of them");
        SystemsForce made = systems_force(trellis::built_in_systems(trellis::BuiltIn::lennard_jones),
                                          trellis::LennardJones(epsilon, sigma, reach(), truncation, switch_ratio()));
        made.excluded = search.exclude;
        return made;
    }
    // With all open ones chosen.
    LennardJonesSettings in_use() const {
        LennardJonesSettings used = *this;
        used.skin = skin_ratio() * reach();
        if (truncation == Truncation::switched) used.switch_distance = switch_ratio() * cutoff;
        return used;
    }
    // The largest cutoff as a length.
    double reach() const {
        if (mixture.kinds.empty()) return cutoff_in_sigma ? cutoff * sigma : cutoff;
        double largest = 0;
        for (const trellis::PairParameters& pair : trellis::parameters_of_pairs(whole_mixture()))
            largest = std::max(largest, pair.cutoff);
        return largest;
    }
    // The ratio of the skin, which is a length in Python, to the largest cutoff.
    double skin_ratio() const {
        if (!skin)
            return mixture.kinds.empty() ? trellis::lennard_jones_skin_ratio(sigma, reach())
                                         : trellis::lennard_jones_skin_ratio(whole_mixture());
        if (*skin > reach())
            throw InputError("skin is " + trellis::to_text(*skin) + ": allowed is 0 to the cutoff, " +
                             trellis::to_text(reach()));
        return *skin / reach();
    }
    double switch_ratio() const {
        if (!switch_distance) return trellis::default_switch_ratio;
        if (truncation != Truncation::switched)
            throw InputError("switch_distance is given: allowed with truncation switched");
        if (!(*switch_distance < cutoff))
            throw InputError("switch_distance is " + trellis::to_text(*switch_distance) +
                             ": allowed is at least 0 and below the cutoff, " + trellis::to_text(cutoff));
        return *switch_distance / cutoff;
    }
    Mixture whole_mixture() const {
        Mixture whole = mixture;
        whole.cutoff = cutoff;
        whole.cutoff_in_sigma = cutoff_in_sigma;
        whole.truncation = truncation;
        whole.switch_ratio = switch_ratio();
        return whole;
    }
    void check_together() const {
        if (mixture.kinds.empty()) {
            if (!mixture.pairs.empty() || mixture.rule != Mixture().rule)
                throw InputError("pairs or mixing is given without kinds: allowed with kinds alone");
        } else if (epsilon != 1 || sigma != 1) {
            throw InputError(
                "kinds are given beside an epsilon or a sigma of all atoms: allowed are those of the kinds");
        }
    }

    double epsilon = 1, sigma = 1, cutoff = 2.5;
    bool cutoff_in_sigma = false;
    Mixture mixture;  // kinds, rule and pairs
    Truncation truncation = Truncation::plain;
    std::optional<double> switch_distance, skin;
    ShortRangeSettings search;  // the ratio of the skin apart
};

using All = LennardJonesSettings;
using Search = ShortRangeSettings;

std::string type_of_kinds() { return "dict[str, collections.abc.Sequence[float]]"; }

bool set_kinds(All& settings, const char*, nb::handle value) {
    if (!nb::isinstance<nb::dict>(value)) return false;
    settings.mixture.kinds.clear();
    for (const auto& [key, numbers] : nb::cast<nb::dict>(value)) {
        std::string name;
        std::vector<double> given;
        if (!nb::try_cast(key, name) || nb::isinstance<nb::str>(numbers) || !nb::try_cast(numbers, given)) return false;
        if (given.size() != 2)
            throw InputError("kinds has " + std::to_string(given.size()) + " numbers for " + name +
                             ": allowed are two, epsilon and sigma");
        settings.mixture.kinds.push_back({name, given[0], given[1]});
    }
    if (settings.mixture.kinds.empty()) throw InputError("kinds names no kind: allowed are 1 to 64 kinds");
    return true;
}

nb::object get_kinds(const All& settings) {
    if (settings.mixture.kinds.empty()) return nb::none();
    nb::dict all;
    for (const trellis::AtomKind& kind : settings.mixture.kinds)
        all[kind.name.c_str()] = nb::make_tuple(kind.epsilon, kind.sigma);
    return all;
}

std::string type_of_pairs() {
    return "collections.abc.Sequence[tuple[str, str, float, float] | collections.abc.Sequence[str | float]]";
}

bool set_pairs(All& settings, const char*, nb::handle value) {
    std::vector<nb::object> pairs;
    if (nb::isinstance<nb::str>(value) || nb::isinstance<nb::dict>(value) || !nb::try_cast(value, pairs)) return false;
    settings.mixture.pairs.clear();
    for (const nb::object& pair : pairs) {
        std::vector<nb::object> parts;
        trellis::KindPair made;
        if (nb::isinstance<nb::str>(pair) || !nb::try_cast(pair, parts) || parts.size() != 4 ||
            !nb::try_cast(parts[0], made.one) || !nb::try_cast(parts[1], made.other) ||
            !nb::try_cast(parts[2], made.epsilon) || !nb::try_cast(parts[3], made.sigma))
            throw InputError("pairs has " + shown(pair) + ": allowed are two kinds, epsilon and sigma");
        settings.mixture.pairs.push_back(made);
    }
    return true;
}

nb::object get_pairs(const All& settings) {
    if (settings.mixture.pairs.empty()) return nb::none();
    nb::list all;
    for (const trellis::KindPair& pair : settings.mixture.pairs)
        all.append(nb::make_tuple(pair.one, pair.other, pair.epsilon, pair.sigma));
    return all;
}

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
    {.name = "kinds",
     .value = {.type = &type_of_kinds, .set = &set_kinds, .get = &get_kinds, .highest = {}},
     .meaning = "epsilon and sigma of each kind of atoms, by its name; an atom's kind is its field `kind`, 0, 1, ... in"
                " this order, or without that field the kind with the name of its type, such as gas; if not given, all"
                " atoms are of one kind"},
    {.name = "mixing",
     .value = choice<All, rules, &All::mixture, &Mixture::rule>,
     .meaning = "epsilon and sigma between atoms of two kinds: the geometric mean of the epsilons with the arithmetic"
                " (lorentz-berthelot) or the geometric mean of the sigmas (geometric)",
     .source = "Allen & Tildesley 2017, section 1.3.3"},
    {.name = "pairs",
     .value = {.type = &type_of_pairs, .set = &set_pairs, .get = &get_pairs, .highest = {}},
     .meaning = "pairs of kinds that do not follow the mixing rule: both kinds, epsilon and sigma of each"},
    {.name = "cutoff",
     .value = member<All, &All::cutoff>,
     .meaning = "distance c beyond which atoms do not act on each other",
     .unit = "length",
     .limits = {.above = 0}},
    {.name = "cutoff_in_sigma",
     .value = member<All, &All::cutoff_in_sigma>,
     .meaning = "cutoff and switch_distance are in units of sigma, between atoms of two kinds that of the pair"},
    {.name = "truncation",
     .value = choice<All, truncations, &All::truncation>,
     .meaning = "how the potential ends at the cutoff: u(r), with a jump (plain); u(r) - u(c), without one"
                " (energy-shifted); u(r) - u(c) - (r - c) u'(c), without one of the force either (force-shifted); or"
                " u(r) (1 - 10 x^3 + 15 x^4 - 6 x^5), x = (r - s) / (c - s), from the distance s on (switched)",
     .source = "Allen & Tildesley 2017, section 5.2.3; Mei, Davenport & Fernando 1991"},
    {.name = "switch_distance",
     .value = member<All, &All::switch_distance>,
     .meaning = "switched: distance s from which the potential is switched off; if not given, 0.9 of the cutoff",
     .unit = "length",
     .limits = {.at_least = 0}},
    exclude_parameter<All, &All::search, &Search::exclude>,
    neighbour_lists_parameter<All, &All::search, &Search::lists>,
    reuse_steps_parameter<All, &All::search, &Search::reuse_steps>,
    {.name = "skin",
     .value = member<All, &All::skin>,
     .meaning = "reuse: how far lists go beyond the cutoff, at most the cutoff; if not given, what suits a"
                " liquid of such atoms: 0.28 of a cutoff of 2.5 sigma, 0.91 of one of 1.12 sigma",
     .unit = "length",
     .limits = {.at_least = 0}},
    precision_parameter<All, &All::search, &Search::precision>,
    device_parameter<All>,
};

}  // namespace

// Epsilon, sigma and cutoff of each pair of kinds.
static std::vector<std::vector<std::tuple<double, double, double>>> pair_parameters(const All& settings) {
    if (settings.mixture.kinds.empty()) return {{{settings.epsilon, settings.sigma, settings.reach()}}};
    const std::size_t count = settings.mixture.kinds.size();
    std::vector<std::vector<std::tuple<double, double, double>>> rows(count);
    const auto pairs = trellis::parameters_of_pairs(settings.whole_mixture());
    for (std::size_t k = 0; k < pairs.size(); ++k)
        rows[k / count].emplace_back(pairs[k].epsilon, pairs[k].sigma, pairs[k].cutoff);
    return rows;
}

void bind_lennard_jones(nb::module_& core) {
    bind_settings<All, AnyForce>(
        core, "LennardJones",
        "The Lennard-Jones force between atoms of one kind or several, cut off.\n\n"
        "Two atoms at distance r have the energy u(r) = 4 epsilon ((sigma / r)^12 - (sigma / r)^6) within the cutoff\n"
        "c, and 0 beyond. Particles get a field ``virial``, from which the pressure follows.",
        parameters)
        .def("pair_parameters", &pair_parameters,
             "Epsilon, sigma and cutoff of each pair of kinds: a row for each kind, of a tuple for each kind.");
}
