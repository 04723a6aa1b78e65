#include "trellis/forces/checks.hpp"

#include <algorithm>
#include <cmath>

#include "trellis/base/error.hpp"
#include "trellis/base/parallel.hpp"

namespace trellis {

void check_not_negative(const ParticleSet& particles, const std::string& field) {
    const double* values = particles.column(field).values();
    const double* negative = std::find_if(values, values + particles.size(), [](double v) { return v < 0; });
    if (negative != values + particles.size())
        throw InputError("column '" + field + "' is " + to_text(*negative) + " at index " +
                         std::to_string(negative - values) + ": allowed is 0 or more");
}

void check_columns(const ParticleSet& particles, std::span<const FieldInfo> fields,
                   std::optional<std::size_t> not_negative) {
    std::size_t component = 0;
    for (const FieldInfo& field : fields) {
        particles.check_finite(field.name);
        if (component == not_negative) check_not_negative(particles, field.name);
        component += field.components;
    }
}

void check_kinds(const ParticleSet& particles, const std::string& field, std::size_t last, const std::string& allowed) {
    const double* kinds = particles.column(field).values();
    const std::size_t rows = particles.size();
    const auto first_wrong = [&](std::size_t begin, std::size_t end) {
        for (std::size_t row = begin; row < end; ++row)
            if (!(kinds[row] >= 0 && kinds[row] <= static_cast<double>(last) && kinds[row] == std::floor(kinds[row])))
                return row;
        return rows;
    };
    const auto smaller = [](std::size_t a, std::size_t b) { return std::min(a, b); };
    const std::size_t row = parallel_reduce(rows, rows, first_wrong, smaller);
    if (row < rows)
        throw InputError(field + " of row " + std::to_string(row) + " is " + to_text(kinds[row]) + ": allowed are " +
                         allowed);
}

std::size_t first_component(std::span<const FieldInfo> fields, std::string_view name) {
    const auto found = std::ranges::find(fields, name, &FieldInfo::name);
    return components_of(fields.first(static_cast<std::size_t>(found - fields.begin())));
}

bool reads_velocity(std::span<const FieldInfo> fields) {
    return std::ranges::any_of(fields, [](const FieldInfo& field) { return field.name == Velocity::name; });
}

void check_open(const ParticleSet& particles, const std::string& what) {
    for (std::size_t axis = 0; axis < 3; ++axis)
        if (particles.region().periodic(axis))
            throw InputError(std::string("the particles' box is periodic along ") + "xyz"[axis] + ", which " + what +
                             " does not take: allowed are infinite faces along all axes");
}

}  // namespace trellis
