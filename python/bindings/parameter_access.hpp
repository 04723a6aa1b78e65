// Access from Python to a member of settings, found by a path of pointers to members: `member`, `open_number` or
// `choice`.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <concepts>
#include <limits>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "names.hpp"
#include "parameters.hpp"

template <auto first, auto... rest>
auto& at(auto& settings) {
    if constexpr (sizeof...(rest) == 0)
        return settings.*first;
    else
        return at<rest...>(settings.*first);
}

template <class Settings, auto... path>
using Value = std::remove_cvref_t<decltype(at<path...>(std::declval<Settings&>()))>;

// The annotation of a type in Python.
template <class T>
struct PythonType;
template <>
struct PythonType<bool> {
    static std::string name() { return "bool"; }
};
template <std::integral T>
struct PythonType<T> {
    static std::string name() { return "int"; }
};
template <>
struct PythonType<double> {
    static std::string name() { return "float"; }
};
template <>
struct PythonType<std::string> {
    static std::string name() { return "str"; }
};
template <class T>
struct PythonType<std::optional<T>> : PythonType<T> {};
template <class T>
struct PythonType<std::vector<T>> {
    static std::string name() { return "collections.abc.Sequence[" + PythonType<T>::name() + "]"; }
};

template <class T>
constexpr std::optional<std::uint64_t> highest = {};
template <std::integral T>
constexpr std::optional<std::uint64_t> highest<T> = std::numeric_limits<T>::max();
template <std::integral T>
constexpr std::optional<std::uint64_t> highest<std::optional<T>> = std::numeric_limits<T>::max();

template <class Settings, auto... path>
bool set_member(Settings& settings, const char*, nanobind::handle value) {
    return nanobind::try_cast(value, at<path...>(settings));
}

template <class Settings, auto... path>
nanobind::object get_member(const Settings& settings) {
    return nanobind::cast(at<path...>(settings));
}

// A member of any type.
template <class Settings, auto... path>
constexpr Access<Settings> member{.type = &PythonType<Value<Settings, path...>>::name,
                                  .set = &set_member<Settings, path...>,
                                  .get = &get_member<Settings, path...>,
                                  .highest = highest<Value<Settings, path...>>};

template <class Settings, auto... path>
nanobind::object get_open_number(const Settings& settings) {
    const auto number = at<path...>(settings);
    return number == 0 ? nanobind::none() : nanobind::cast(number);
}

// A number; 0, which leaves it open, is None in Python.
template <class Settings, auto... path>
constexpr Access<Settings> open_number{.type = member<Settings, path...>.type,
                                       .set = member<Settings, path...>.set,
                                       .get = &get_open_number<Settings, path...>,
                                       .highest = member<Settings, path...>.highest};

template <const auto& names>
std::string type_of_choice() {
    std::string all;
    for (const auto& [name, value] : names) all += (all.empty() ? "'" : ", '") + std::string(name) + "'";
    return "typing.Literal[" + all + "]";
}

template <class Settings, const auto& names, auto... path>
bool set_choice(Settings& settings, const char* parameter, nanobind::handle value) {
    at<path...>(settings) = by_name(parameter, nanobind::str(value).c_str(), names);
    return true;
}

template <class Settings, const auto& names, auto... path>
nanobind::object get_choice(const Settings& settings) {
    const char* name = name_of(at<path...>(settings), names);
    return name == nullptr ? nanobind::none() : nanobind::object(nanobind::str(name));
}

// An enumeration, by the names of its values. A value without a name, or none, which leaves it open, is None in Python.
template <class Settings, const auto& names, auto... path>
constexpr Access<Settings> choice{.type = &type_of_choice<names>,
                                  .set = &set_choice<Settings, names, path...>,
                                  .get = &get_choice<Settings, names, path...>,
                                  .highest = highest<std::string>};
