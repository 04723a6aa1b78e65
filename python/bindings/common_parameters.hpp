// Parameters that several forces have.
#pragma once

#include "forces.hpp"
#include "parameter_access.hpp"
#include "trellis/forces/kept_lists.hpp"
#include "trellis/forces/precision.hpp"

constexpr Names<trellis::Precision, 2> precisions{
    {{"single", trellis::Precision::single_}, {"double", trellis::Precision::double_}}};
constexpr Names<trellis::Lists, 2> lists_names{
    {{"rebuild", trellis::Lists::rebuild}, {"reuse", trellis::Lists::reuse}}};

template <class Settings>
constexpr Parameter<Settings> device_parameter{
    .name = "device",
    .value = member<Settings, &AnyForce::device>,
    .meaning = "where the force kernels run: host, cpu, cuda:0, ...; if not given, on that of the simulation"};

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
