// Parameters that several forces have.
#pragma once

#include "forces.hpp"
#include "parameter_access.hpp"
#include "trellis/base/error.hpp"
#include "trellis/devices/remote/open.hpp"
#include "trellis/forces/list_checkpoint.hpp"
#include "trellis/forces/precision.hpp"
#include "trellis/forces/tree/settings.hpp"

constexpr Names<trellis::Precision, 2> precisions{
    {{"single", trellis::Precision::single_}, {"double", trellis::Precision::double_}}};
constexpr Names<trellis::Lists, 2> lists_names{
    {{"rebuild", trellis::Lists::rebuild}, {"reuse", trellis::Lists::reuse}}};

// A name, or a list of them. auto: a GPU, or host.
template <class Settings>
bool set_device(Settings& settings, const char*, nanobind::handle value) {
    std::string one;
    const bool is_one = nanobind::try_cast(value, one), automatic = is_one && one == "auto";
    if constexpr (requires { settings.automatic; }) settings.automatic = automatic;
    if (is_one) return settings.device = {automatic ? trellis::automatic_device() : one}, true;
    if (!nanobind::try_cast(value, settings.device)) return false;
    if (settings.device.empty())
        throw trellis::InputError("device is an empty list: allowed are host, or names such as cpu and cuda:0");
    return true;
}

template <class Settings>
nanobind::object get_device(const Settings& settings) {
    if (settings.device.empty()) return nanobind::none();
    return settings.device.size() == 1 ? nanobind::cast(settings.device[0]) : nanobind::cast(settings.device);
}

inline std::string type_of_device() { return "str | collections.abc.Sequence[str]"; }

template <class Settings>
constexpr Parameter<Settings> device_parameter{
    .name = "device",
    .value = {.type = &type_of_device, .set = &set_device<Settings>, .get = &get_device<Settings>, .highest = {}},
    .meaning =
        "where the force kernels run: host, cpu, cuda:0, ..., auto (a GPU, else host), or a list of"
        " devices, which share the force;"
        " if not given, on that of the simulation"};

template <class Settings, auto... path>
constexpr Parameter<Settings> precision_parameter{
    .name = "precision",
    .value = choice<Settings, precisions, path...>,
    .meaning =
        "arithmetic of the force kernels; if not given, single where its range and its accuracy of 3e-7"
        " suffice"};

template <class Settings, auto... path>
constexpr Parameter<Settings> neighbour_lists_parameter{
    .name = "lists",
    .value = choice<Settings, lists_names, path...>,
    .meaning = "rebuild tree and neighbour lists at each step, or reuse them over steps while they are still valid",
    .source = "Verlet 1967; Iwasawa et al. 2020, section 4.2"};

template <class Settings, auto... path>
constexpr Parameter<Settings> reuse_steps_parameter{
    .name = "reuse_steps",
    .value = member<Settings, path...>,
    .meaning = "reuse: steps that one set of lists serves at most, n_reuse",
    .unit = "steps",
    .limits = {.at_least = 1}};

// Parameters of a force from a tree, beside those above. path: the settings of the tree in those of the force.
constexpr Names<trellis::LetScheme, 3> let_schemes{{{"domain-tree", trellis::LetScheme::domain_tree},
                                                    {"all-gather", trellis::LetScheme::all_gather},
                                                    {"all-to-all", trellis::LetScheme::all_to_all}}};

template <class Settings, auto... path>
constexpr Parameter<Settings> group_size_parameter{
    .name = "group_size",
    .value = open_number<Settings, path..., &trellis::ForceSettings::group_size>,
    .meaning = "most i-particles that share one interaction list, n_grp; not given: 64, on GPUs 256",
    .limits = {.at_least = 1},
    .source = "Barnes 1990"};

template <class Settings, auto... path>
constexpr Parameter<Settings> leaf_size_parameter{
    .name = "leaf_size",
    .value = open_number<Settings, path..., &trellis::ForceSettings::leaf_size>,
    .meaning = "most particles in a leaf of the tree, n_leaf",
    .limits = {.at_least = 1}};

template <class Settings, auto... path>
constexpr Parameter<Settings> tune_sizes_parameter{
    .name = "tune_sizes",
    .value = member<Settings, path..., &trellis::ForceSettings::tune_sizes>,
    .meaning =
        "find group_size and leaf_size, where neither is given, by trying some at the first step; those found"
        " are kept for the next time in the user's cache folder; other sizes give other last digits"};

template <class Settings, auto... path>
constexpr Parameter<Settings> tree_lists_parameter{
    .name = "lists",
    .value = choice<Settings, lists_names, path..., &trellis::ForceSettings::lists>,
    .meaning = "rebuild tree and interaction lists at each step, or reuse them over steps while they are still valid",
    .source = "Iwasawa et al. 2020, section 4.2"};

template <class Settings, auto... path>
constexpr Parameter<Settings> opening_growth_parameter{
    .name = "opening_growth",
    .value = member<Settings, path..., &trellis::ForceSettings::opening_growth>,
    .meaning =
        "reuse: share by which the size of a listed cell over its distance may grow before lists are rebuilt"
        " early",
    .limits = {.at_least = 0, .at_most = 1}};

template <class Settings, auto... path>
constexpr Parameter<Settings> trust_reuse_steps_parameter{
    .name = "trust_reuse_steps",
    .value = member<Settings, path..., &trellis::ForceSettings::trust_reuse_steps>,
    .meaning = "reuse without looking at opening_growth"};

template <class Settings, auto... path>
constexpr Parameter<Settings> compress_parameter{
    .name = "compress",
    .value = member<Settings, path..., &trellis::ForceSettings::compress>,
    .meaning =
        "send other ranks and devices no more digits than the accuracy asks, which in later steps takes fewer"
        " bytes"};

template <class Settings, auto... path>
constexpr Parameter<Settings> let_parameter{
    .name = "let",
    .value = choice<Settings, let_schemes, path..., &trellis::ForceSettings::let>,
    .meaning =
        "with several ranks, how they exchange local essential trees: many distant ranks as one cell"
        " (domain-tree; Iwasawa et al. 2020, section 7.2), every rank as one cell where it is far (all-gather;"
        " section 6.3), or a tree from every rank to every other (all-to-all; Iwasawa et al. 2016)"};
