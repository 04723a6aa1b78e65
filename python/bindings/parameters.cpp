// Signatures, docstrings and limits of parameters for Python.
#include "parameters.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cctype>
#include <cmath>
#include <sstream>

#include "bindings.hpp"
#include "trellis/base/error.hpp"

namespace nb = nanobind;
using namespace nanobind::literals;
using trellis::to_text;

namespace {

// Limits by pydantic's names; those of integers are integers.
nb::dict limits_by_name(const ParameterInfo& parameter) {
    nb::dict limits;
    const auto add = [&](const char* name, const std::optional<double>& limit) {
        if (!limit) return;
        if (*limit == std::floor(*limit))
            limits[name] = static_cast<std::int64_t>(*limit);
        else
            limits[name] = *limit;
    };
    add("gt", parameter.limits.above);
    add("ge", parameter.limits.at_least);
    add("lt", parameter.limits.below);
    add("le", parameter.limits.at_most);
    return limits;
}

// The text in indented lines of at most 116 columns.
std::string wrapped(const std::string& text) {
    const std::string indent = "    ";
    std::string lines, line = indent, word;
    std::istringstream words(text);
    while (words >> word) {
        if (line.size() + 1 + word.size() > 116) {
            lines += line + "\n";
            line = indent;
        }
        line += (line == indent ? "" : " ") + word;
    }
    return lines + line + "\n";
}

// The type as docstrings write it: float | None, Literal['tree', 'fmm'].
std::string described_type(std::string type) {
    for (const std::string prefix : {"typing.", "collections.abc."})
        if (type.starts_with(prefix)) type.erase(0, prefix.size());
    return type;
}

std::string described(const ParameterInfo& parameter) {
    std::string text = parameter.meaning + ".";
    text.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(text.front())));
    if (!parameter.unit.empty()) text += " Unit: " + parameter.unit + ".";
    if (const std::string limits = parameter.limits.text(); !limits.empty()) text += " Allowed: " + limits + ".";
    return parameter.name + " : " + described_type(parameter.type) + "\n" + wrapped(text);
}

}  // namespace

bool Limits::allow(double value) const {
    return std::isfinite(value) && (!above || value > *above) && (!at_least || value >= *at_least) &&
           (!below || value < *below) && (!at_most || value <= *at_most);
}

std::string Limits::text() const {
    if (at_least && at_most) return to_text(*at_least) + " to " + to_text(*at_most);
    std::string text;
    const auto add = [&](const std::string& limit) { text += (text.empty() ? "" : " and ") + limit; };
    if (above) add("above " + to_text(*above));
    if (at_least) add(to_text(*at_least) + " or more");
    if (below) add("below " + to_text(*below));
    if (at_most) add("at most " + to_text(*at_most));
    return text;
}

void check_limits(const char* name, const Limits& limits, std::optional<std::uint64_t> highest, nb::handle value) {
    double number = 0;
    if (!nb::try_cast(value, number)) return;
    const bool fits = !highest || number <= static_cast<double>(*highest);
    if (fits && limits.allow(number)) return;
    const std::string given = nb::isinstance<nb::int_>(value) ? nb::str(value).c_str() : to_text(number);
    const std::string allowed = fits ? limits.text() : "at most " + std::to_string(*highest);
    throw trellis::InputError(std::string(name) + " is " + given + ": allowed is " +
                              (allowed.empty() ? "a finite number" : allowed));
}

std::string signature_of(const std::vector<ParameterInfo>& parameters) {
    std::string text = "def __init__(self, *";
    for (const ParameterInfo& each : parameters) {
        text += ", " + each.name + ": " + each.type;
        if (!each.standard.is(nb::ellipsis())) text += std::string(" = ") + nb::repr(each.standard).c_str();
    }
    return text + ") -> None";
}

std::string docstring_of(const std::string& text, const std::vector<ParameterInfo>& parameters) {
    std::string all = text + "\n\nParameters\n----------\n";
    for (const ParameterInfo& each : parameters) all += described(each);
    return all + "\nRaises\n------\nValueError\n    If a value is out of its range.";
}

void bind_parameters(nb::module_& core) {
    nb::class_<ParameterInfo>(core, "Parameter", "A parameter of a force, a thermostat or devices.")
        .def_ro("name", &ParameterInfo::name)
        .def_ro("type", &ParameterInfo::type, "As an annotation.")
        .def_ro("default", &ParameterInfo::standard, "Ellipsis if it must be given.")
        .def_ro("meaning", &ParameterInfo::meaning, "With its source.")
        .def_ro("unit", &ParameterInfo::unit)
        .def_prop_ro("limits", &limits_by_name, nb::sig("def limits(self) -> dict[str, float]"),
                     "Limits of a number: gt, ge, lt, le.");
    core.def(
        "parameters", [](const nb::type_object& kind) { return kind.attr("_parameters"); }, "kind"_a,
        nb::sig("def parameters(kind: type) -> list[Parameter]"),
        "The parameters of a class of forces, thermostats or devices.");
}
