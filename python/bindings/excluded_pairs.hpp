// Excluded pairs of a force of short range, as Python gives them: an array or a list with a row for each pair, two ids
// and perhaps a factor.
#pragma once

#include <nanobind/nanobind.h>

#include <string>
#include <vector>

#include "parameter_access.hpp"
#include "trellis/lists/neighbours/exclusions.hpp"

// Returns false if the value is no such rows. Throws InputError for a number that is no id.
bool read_excluded_pairs(nanobind::handle value, std::vector<trellis::ExcludedPair>& pairs);
// Tuples of two ids, and of a factor that is not 0; None if there are no pairs.
nanobind::object shown_excluded_pairs(const std::vector<trellis::ExcludedPair>& pairs);

template <class Settings, auto... path>
bool set_excluded_pairs(Settings& settings, const char*, nanobind::handle value) {
    return read_excluded_pairs(value, at<path...>(settings));
}

template <class Settings, auto... path>
nanobind::object get_excluded_pairs(const Settings& settings) {
    return shown_excluded_pairs(at<path...>(settings));
}

inline std::string type_of_excluded_pairs() {
    return "numpy.typing.ArrayLike | collections.abc.Sequence[collections.abc.Sequence[float]]";
}

template <class Settings, auto... path>
constexpr Parameter<Settings> exclude_parameter{
    .name = "exclude",
    .value = {.type = &type_of_excluded_pairs,
              .set = &set_excluded_pairs<Settings, path...>,
              .get = &get_excluded_pairs<Settings, path...>,
              .highest = {}},
    .meaning =
        "pairs of particles that do not act on each other, by their ids; with a third number, the factor by which they"
        " act"};
