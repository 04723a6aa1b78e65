// Choices by name: what Python says as text and C++ as an enumeration.
#pragma once

#include <array>
#include <string>
#include <utility>

#include "trellis/base/error.hpp"
#include "trellis/forces/settings.hpp"

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
const char* name_of(Value value, const Names<Value, Count>& names) {
    for (const auto& [name, named] : names)
        if (named == value) return name;
    return "";
}

constexpr Names<trellis::Precision, 3> precisions{{{"auto", trellis::Precision::automatic},
                                                   {"single", trellis::Precision::single_},
                                                   {"double", trellis::Precision::double_}}};
constexpr Names<trellis::Lists, 2> lists_names{
    {{"rebuild", trellis::Lists::rebuild}, {"reuse", trellis::Lists::reuse}}};
