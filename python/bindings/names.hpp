// Choices by name: text in Python, an enumeration in C++.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>

#include "trellis/base/error.hpp"

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

// The name of a value, or null.
template <class Value, std::size_t Count>
const char* name_of(Value value, const Names<Value, Count>& names) {
    for (const auto& [name, named] : names)
        if (named == value) return name;
    return nullptr;
}

template <class Value, std::size_t Count>
const char* name_of(const std::optional<Value>& value, const Names<Value, Count>& names) {
    return value ? name_of(*value, names) : nullptr;
}
