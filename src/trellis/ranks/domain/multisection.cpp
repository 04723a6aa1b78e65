#include "trellis/ranks/domain/multisection.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>

#include "trellis/base/error.hpp"

namespace trellis {

namespace {

constexpr std::size_t header = 9;  // shape and region, before the faces

std::size_t face_count(const Shape& shape) {
    const auto ranks = static_cast<std::size_t>(shape.ranks), slabs = static_cast<std::size_t>(shape.slabs);
    const std::size_t columns = slabs * static_cast<std::size_t>(shape.columns);
    return (slabs + 1) + (columns + slabs) + (ranks + columns);
}

// The part that contains a coordinate; those below the first and above the last face belong to the outermost parts.
std::size_t part_of(std::span<const double> faces, double coordinate) {
    const auto inner = faces.subspan(1, faces.size() - 2);
    return static_cast<std::size_t>(std::ranges::upper_bound(inner, coordinate) - inner.begin());
}

bool is_whole(double value, double least, double most) {
    return value >= least && value <= most && value == std::floor(value);
}

[[noreturn]] void refuse(const std::string& why) {
    throw InputError("these " + why + ": allowed is what another multisection gave as its values");
}

Shape shape_of(std::span<const double> values) {
    if (values.size() < header) refuse(std::to_string(values.size()) + " values are too few for a multisection");
    if (!is_whole(values[0], 1, 1 << 30) || !is_whole(values[1], 1, values[0]) ||
        !is_whole(values[2], 1, values[0] / values[1]))
        refuse("values begin with " + to_text(values[0]) + ", " + to_text(values[1]) + " and " + to_text(values[2]) +
               ", no multisection's ranks, slabs and columns");
    return {static_cast<int>(values[0]), static_cast<int>(values[1]), static_cast<int>(values[2])};
}

}  // namespace

// Calls visit(row, axis) for each row.
template <class Visit>
void Multisection::for_each_row(Visit&& visit) const {
    visit(slabs(), std::size_t{0});
    for (int slab = 0; slab < shape_.slabs; ++slab) {
        visit(columns(slab), std::size_t{1});
        for (int column = 0; column < shape_.columns; ++column) visit(domains(slab, column), std::size_t{2});
    }
}

Multisection::Multisection(const Shape& shape, const Region& region)
    : shape_(shape), region_(region), faces_(face_count(shape)) {
    region.check();
    for_each_row([&](Row row, std::size_t axis) {
        const double low = region.periodic(axis) ? region.low[axis] : 0;
        const double high = region.periodic(axis) ? region.high[axis] : 1;
        for (std::size_t face = 0; face < row.size; ++face)
            faces(row)[face] = std::lerp(low, high, static_cast<double>(face) / static_cast<double>(row.size - 1));
    });
}

Multisection::Multisection(std::span<const double> values) : shape_(shape_of(values)) {
    region_ = {{values[3], values[4], values[5]}, {values[6], values[7], values[8]}};
    region_.check();
    faces_.assign(values.begin() + header, values.end());
    if (faces_.size() != face_count(shape_))
        refuse(std::to_string(faces_.size()) + " faces are not the " + std::to_string(face_count(shape_)) +
               " of a multisection for " + std::to_string(shape_.ranks) + " ranks");
    for_each_row([&](Row row, std::size_t axis) {
        const auto in_row = faces(row);
        const bool rising = std::ranges::adjacent_find(in_row, std::not_fn(std::less<>())) == in_row.end() &&
                            std::isfinite(in_row.front()) && std::isfinite(in_row.back());
        const bool ends =
            !region_.periodic(axis) || (in_row.front() == region_.low[axis] && in_row.back() == region_.high[axis]);
        if (!rising || !ends) refuse("faces are not in rising order within their region");
    });
}

Multisection::Row Multisection::slabs() const { return {0, static_cast<std::size_t>(shape_.slabs) + 1}; }

Multisection::Row Multisection::columns(int slab) const {
    const std::size_t size = static_cast<std::size_t>(shape_.columns) + 1;
    return {slabs().size + static_cast<std::size_t>(slab) * size, size};
}

Multisection::Row Multisection::domains(int slab, int column) const {
    const int first = shape_.begin(slab, column), end = shape_.begin(slab, column + 1);
    const int columns_before = slab * shape_.columns + column;  // each with one face more than ranks
    return {columns(shape_.slabs).begin + static_cast<std::size_t>(first + columns_before),
            static_cast<std::size_t>(end - first) + 1};
}

int Multisection::owner(const Vec3<double>& position) const {
    const Vec3<double> inside = region_.wrapped(position);
    const int slab = static_cast<int>(part_of(faces(slabs()), inside.x));
    const int column = static_cast<int>(part_of(faces(columns(slab)), inside.y));
    return shape_.begin(slab, column) + static_cast<int>(part_of(faces(domains(slab, column)), inside.z));
}

Extent Multisection::domain(int rank) const {
    const int slab = shape_.slab_of(rank), column = shape_.column_of(rank);
    Extent domain{region_.low, region_.high};
    const auto narrow = [&](std::size_t axis, Row row, int part) {
        const auto in_row = faces(row);
        const auto below = static_cast<std::size_t>(part), above = below + 1;
        if (below > 0) domain.low[axis] = in_row[below];
        if (above + 1 < row.size) domain.high[axis] = in_row[above];
    };
    narrow(0, slabs(), slab);
    narrow(1, columns(slab), column);
    narrow(2, domains(slab, column), rank - shape_.begin(slab, column));
    return domain;
}

std::vector<double> Multisection::values() const {
    const auto& [low, high] = region_;
    std::vector<double> values{static_cast<double>(shape_.ranks),
                               static_cast<double>(shape_.slabs),
                               static_cast<double>(shape_.columns),
                               low.x,
                               low.y,
                               low.z,
                               high.x,
                               high.y,
                               high.z};
    values.insert(values.end(), faces_.begin(), faces_.end());
    return values;
}

}  // namespace trellis
