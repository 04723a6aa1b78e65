// A parameter of a force, a thermostat or devices, defined once. Its class in Python (arguments, types, defaults,
// docstring, `settings` and repr), its section of a parameter file and docs/parameters.md follow from a table of these.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

// Limits of a number.
struct Limits {
    bool allow(double value) const;
    std::string text() const;  // such as "above 0 and below 1"; "" without limits

    std::optional<double> above = {}, at_least = {}, below = {}, at_most = {};
};

// Access from Python to a parameter: see parameter_access.hpp.
template <class Settings>
struct Access {
    std::string (*type)();  // as Python annotates it, without None
    // Returns false if the value has another type. Throws InputError if it is not one of the choices.
    bool (*set)(Settings& settings, const char* name, nanobind::handle value);
    nanobind::object (*get)(const Settings& settings);  // None: left open
    std::optional<std::uint64_t> highest;               // greatest integer that fits
};

// The default is the initial value of the settings. A parameter whose default is None may be left open.
template <class Settings>
struct Parameter {
    const char* name;
    Access<Settings> value;
    const char* meaning;  // a phrase
    const char* unit = "";
    Limits limits = {};
    const char* source = "";  // the paper
    bool required = false;    // without a default
};

// A parameter as Python sees it.
struct ParameterInfo {
    std::string name;
    std::string type;           // as Python annotates it
    nanobind::object standard;  // the default; Ellipsis if required
    std::string meaning;        // with its source
    std::string unit;
    Limits limits;
};

template <class Settings>
ParameterInfo info(const Parameter<Settings>& parameter) {
    const nanobind::object standard = parameter.value.get(Settings());
    const std::string source = parameter.source;
    return {parameter.name,
            parameter.value.type() + (standard.is_none() ? " | None" : ""),
            parameter.required ? nanobind::borrow(nanobind::ellipsis()) : standard,
            parameter.meaning + (source.empty() ? "" : " (" + source + ")"),
            parameter.unit,
            parameter.limits};
}

// Throws InputError if the value is a number beyond the limits, or an integer above `highest`.
void check_limits(const char* name, const Limits& limits, std::optional<std::uint64_t> highest, nanobind::handle value);

// The signature of __init__.
std::string signature_of(const std::vector<ParameterInfo>& parameters);

// The docstring of a class, which begins with the given text.
std::string docstring_of(const std::string& text, const std::vector<ParameterInfo>& parameters);
