// The purposes by which messages between sites are counted.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace trellis {

enum class TrafficClass {
    samples,    // positions by which space is cut
    densities,  // mesh densities and the field made of them
    roots,      // each rank's tree as one cell
    trees,      // essential trees, and ghosts of short-range forces
    migration,  // particles that change ranks
    other,      // sums, logs, files, calls of the user
    count
};

constexpr std::array<std::string_view, static_cast<std::size_t>(TrafficClass::count)> traffic_class_names = {
    "samples", "densities", "roots", "trees", "migration", "other"};
static_assert(!traffic_class_names.back().empty(), "one name for each class");

}  // namespace trellis
