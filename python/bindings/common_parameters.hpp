// Parameters that several forces have.
#pragma once

#include "forces.hpp"
#include "parameter_access.hpp"
#include "trellis/base/error.hpp"
#include "trellis/forces/list_checkpoint.hpp"
#include "trellis/forces/precision.hpp"

constexpr Names<trellis::Precision, 2> precisions{
    {{"single", trellis::Precision::single_}, {"double", trellis::Precision::double_}}};
constexpr Names<trellis::Lists, 2> lists_names{
    {{"rebuild", trellis::Lists::rebuild}, {"reuse", trellis::Lists::reuse}}};

// A name, or a list of them.
template <class Settings>
bool set_device(Settings& settings, const char*, nanobind::handle value) {
    std::string one;
    if (nanobind::try_cast(value, one)) return settings.device = {one}, true;
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
        "where the force kernels run: host, cpu, cuda:0, ..., or a list of devices, which share the force;"
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
