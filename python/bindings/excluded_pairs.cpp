#include "excluded_pairs.hpp"

#include <nanobind/ndarray.h>

#include <cmath>
#include <cstdint>
#include <type_traits>

#include "bind_settings.hpp"
#include "trellis/base/error.hpp"

namespace nb = nanobind;
using trellis::ExcludedPair;
using trellis::InputError;

namespace {

[[noreturn]] void refuse(nb::handle row) {
    throw InputError("exclude has " + shown(row) + ": allowed are the ids of two particles, and perhaps a factor");
}

// True for a number that is an id; doubles have all whole numbers up to 2^53.
template <class T>
bool is_id(T number) {
    if constexpr (std::is_floating_point_v<T>)
        return number >= 0 && number <= 9007199254740992.0 && std::floor(number) == number;
    else
        return number >= 0;
}

template <class T>
void read_array(nb::handle given, const char* type, std::vector<ExcludedPair>& pairs) {
    const nb::object rows = nb::module_::import_("numpy").attr("ascontiguousarray")(given, type);
    const auto values = nb::cast<nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>>(rows);
    const std::size_t width = values.shape(1);
    pairs.reserve(values.shape(0));
    for (std::size_t k = 0; k < values.shape(0); ++k) {
        const T* row = values.data() + k * width;
        if (!is_id(row[0]) || !is_id(row[1])) refuse(rows[k].attr("tolist")());
        pairs.push_back({static_cast<std::uint64_t>(row[0]), static_cast<std::uint64_t>(row[1]),
                         width == 3 ? static_cast<double>(row[2]) : 0});
    }
}

std::uint64_t id_of(nb::handle number, nb::handle row) {
    std::uint64_t id = 0;
    if (nb::try_cast(number, id)) return id;
    double value = -1;
    if (!nb::try_cast(number, value) || !is_id(value)) refuse(row);
    return static_cast<std::uint64_t>(value);
}

}  // namespace

bool read_excluded_pairs(nb::handle value, std::vector<ExcludedPair>& pairs) {
    pairs.clear();
    if (nb::hasattr(value, "dtype")) {
        const auto kind = nb::cast<std::string>(value.attr("dtype").attr("kind"));
        const nb::tuple shape(value.attr("shape"));
        if (nb::len(shape) != 2 || (!shape[1].equal(nb::int_(2)) && !shape[1].equal(nb::int_(3)))) return false;
        if (kind != "i" && kind != "u" && kind != "f") return false;
        kind == "f" ? read_array<double>(value, "float64", pairs) : read_array<std::int64_t>(value, "int64", pairs);
        return true;
    }
    std::vector<nb::object> rows;
    if (nb::isinstance<nb::str>(value) || nb::isinstance<nb::dict>(value) || !nb::try_cast(value, rows)) return false;
    for (const nb::object& row : rows) {
        std::vector<nb::object> parts;
        double factor = 0;
        if (nb::isinstance<nb::str>(row) || !nb::try_cast(row, parts) || parts.size() < 2 || parts.size() > 3 ||
            (parts.size() == 3 && !nb::try_cast(parts[2], factor)))
            refuse(row);
        pairs.push_back({id_of(parts[0], row), id_of(parts[1], row), factor});
    }
    return true;
}

nb::object shown_excluded_pairs(const std::vector<ExcludedPair>& pairs) {
    if (pairs.empty()) return nb::none();
    nb::list all;
    for (const auto& [one, other, factor] : pairs)
        all.append(factor == 0 ? nb::make_tuple(one, other) : nb::make_tuple(one, other, factor));
    return all;
}
