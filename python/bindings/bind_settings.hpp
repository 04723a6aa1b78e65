// Makes a Python class of settings and the table of their parameters.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/vector.h>

#include <span>
#include <string>
#include <vector>

#include "parameters.hpp"

// A value as a user would type it; of a list of more than six elements the first three.
inline std::string shortened(nanobind::handle value) {
    if (!nanobind::isinstance<nanobind::list>(value) || nanobind::len(value) <= 6) return nanobind::repr(value).c_str();
    std::string first;
    for (std::size_t k = 0; k < 3; ++k) first += std::string(nanobind::repr(value[k]).c_str()) + ", ";
    return "[" + first + "... " + std::to_string(nanobind::len(value)) + " in all]";
}

// A value as a sentence shows it: see trellis.arguments.
inline std::string shown(nanobind::handle value) {
    return nanobind::cast<std::string>(nanobind::module_::import_("trellis.arguments").attr("shown")(value));
}

// A type as a sentence describes what it allows: see trellis.arguments.
inline std::string in_words(const std::string& type, bool quantity) {
    return nanobind::cast<std::string>(
        nanobind::module_::import_("trellis.arguments").attr("in_words")(type, quantity));
}

// The table of the parameters of settings.
template <class Settings>
class Table {
  public:
    explicit Table(std::span<const Parameter<Settings>> parameters) : parameters_(parameters) {}

    // Sets the given parameters. Throws InputError for a value out of range, TypeError for a wrong name or type.
    void set(Settings& settings, const nanobind::kwargs& given) const {
        for (const auto& [key, value] : given) set(settings, find(nanobind::cast<std::string>(key)), value);
        for (const auto& each : parameters_)
            if (each.required && !given.contains(each.name))
                throw nanobind::type_error((std::string(each.name) + " is not given: it has no default").c_str());
    }

    nanobind::dict values(const Settings& settings) const {
        nanobind::dict values;
        for (const auto& each : parameters_) values[each.name] = each.value.get(settings);
        return values;
    }

    // The parameters that differ from their defaults, from which the constructor makes the same settings.
    nanobind::dict given(const Settings& settings) const {
        nanobind::dict given;
        for (const auto& each : parameters_) {
            const nanobind::object value = each.value.get(settings);
            if (each.required || !value.equal(each.value.get(Settings()))) given[each.name] = value;
        }
        return given;
    }

    // The call that makes these settings, as a user would type it; of a long list, such as that of excluded pairs, its
    // first elements.
    std::string text(const char* name, const Settings& settings) const {
        std::string typed;
        for (const auto& [key, value] : given(settings))
            typed += (typed.empty() ? "" : ", ") + nanobind::cast<std::string>(key) + "=" + shortened(value);
        return std::string(name) + "(" + typed + ")";
    }

    std::string names() const {
        std::string all;
        for (const auto& each : parameters_) all += (all.empty() ? "" : ", ") + std::string(each.name);
        return all;
    }

    std::vector<ParameterInfo> infos() const {
        std::vector<ParameterInfo> all;
        for (const auto& each : parameters_) all.push_back(info(each));
        return all;
    }

  private:
    const Parameter<Settings>& find(const std::string& name) const {
        for (const auto& each : parameters_)
            if (name == each.name) return each;
        throw nanobind::type_error(("there is no parameter '" + name + "': known are " + names()).c_str());
    }

    void set(Settings& settings, const Parameter<Settings>& parameter, nanobind::handle value) const {
        const ParameterInfo known = info(parameter);
        if (value.is_none() && known.standard.is_none()) return;
        const auto kind = nanobind::cast<std::string>(value.type().attr("__name__"));
        const bool truth = kind.starts_with("bool") && known.type.find("bool") == std::string::npos;
        const bool quantity = nanobind::hasattr(value, "unit") || nanobind::hasattr(value, "units");
        if (!truth && !quantity) {
            check_limits(parameter.name, parameter.limits, parameter.value.highest, value);
            if (parameter.value.set(settings, parameter.name, value)) return;
        }
        throw nanobind::type_error(
            (known.name + " is " + shown(value) + ": allowed is " + in_words(known.type, quantity)).c_str());
    }

    std::span<const Parameter<Settings>> parameters_;
};

// Binds a class whose constructor takes the parameters of the table, which must live on, by name. Settings have
// defaults, a function `check`, which throws InputError if they cannot be used, and, where some are chosen, a function
// `in_use`. text: the beginning of the docstring.
template <class Settings, class... Base>
nanobind::class_<Settings, Base...> bind_settings(nanobind::module_& core, const char* name, const char* text,
                                                  std::span<const Parameter<Settings>> parameters) {
    const Table<Settings> table(parameters);
    const std::vector<ParameterInfo> infos = table.infos();
    nanobind::class_<Settings, Base...> made(core, name, docstring_of(text, infos).c_str());
    made.def(
        "__init__",
        [table, name](Settings* self, const nanobind::args& unnamed, const nanobind::kwargs& given) {
            if (unnamed.size() > 0)
                throw nanobind::type_error(
                    (std::string(name) + " takes parameters by name alone: known are " + table.names()).c_str());
            Settings settings;
            table.set(settings, given);
            settings.check();
            new (self) Settings(std::move(settings));
        },
        nanobind::sig(signature_of(infos).c_str()));
    made.def("__repr__", [table, name](const Settings& settings) { return table.text(name, settings); });
    made.def(
        "__reduce__",
        [table](nanobind::handle self) {
            const nanobind::dict given = table.given(nanobind::cast<const Settings&>(self));
            const nanobind::object partial = nanobind::module_::import_("functools").attr("partial");
            return nanobind::make_tuple(partial(self.type(), **given), nanobind::tuple());
        },
        nanobind::sig("def __reduce__(self) -> tuple[object, ...]"), "Class and parameters, for copies and pickles.");
    made.def_prop_ro(
        "settings",
        [table](const Settings& settings) {
            if constexpr (requires { settings.in_use(); })
                return table.values(settings.in_use());
            else
                return table.values(settings);
        },
        nanobind::sig("def settings(self) -> dict[str, object]"),
        "The settings in use, by name: those left open have been chosen.");
    made.attr("_parameters") = nanobind::cast(infos);
    return made;
}
