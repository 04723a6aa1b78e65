// Choices by name: text in Python, an enumeration in C++. None in Python: C++ chooses.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <utility>

#include "trellis/base/error.hpp"
#include "trellis/forces/tree/settings.hpp"

template <class Value, std::size_t Count>
using Names = std::array<std::pair<const char*, Value>, Count>;

template <class Value, std::size_t Count>
Value by_name(const char* setting, const std::string& given, const Names<Value, Count>& names) {
    std::string known;
    for (const auto& [name, value] : names) {
        if (given == name) return value;
        known += (known.empty() ? "" : ", ") + std::string(name);
    }
    throw trellis::InputError(std::string(setting) + " is '" + given + "': allowed are " + known);
}

template <class Value, std::size_t Count>
Value by_name(const char* setting, const std::optional<std::string>& given, const Names<Value, Count>& names,
              Value automatic) {
    return given ? by_name(setting, *given, names) : automatic;
}

// The name of a value; null if it has none, which is None in Python.
template <class Value, std::size_t Count>
const char* name_of(Value value, const Names<Value, Count>& names) {
    for (const auto& [name, named] : names)
        if (named == value) return name;
    return nullptr;
}

// The given number, or 0, which C++ takes for "choose". Throws InputError if the user gives 0.
template <class Number>
Number given_or_chosen(const char* setting, const std::optional<Number>& given) {
    if (given && *given == 0)
        throw trellis::InputError(std::string(setting) + " is 0: allowed is above 0, or none, which chooses");
    return given.value_or(Number{0});
}

constexpr Names<trellis::Precision, 2> precisions{
    {{"single", trellis::Precision::single_}, {"double", trellis::Precision::double_}}};
constexpr Names<trellis::Lists, 2> lists_names{
    {{"rebuild", trellis::Lists::rebuild}, {"reuse", trellis::Lists::reuse}}};
