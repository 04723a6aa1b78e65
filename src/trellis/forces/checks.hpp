// Checks of the particles on which a force acts, and of the fields that it reads and writes.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "trellis/particles/particle_set.hpp"

namespace trellis {

// Throws InputError if one of these columns is missing or not finite, or if component not_negative, counted through all
// fields, has a negative value.
void check_columns(const ParticleSet& particles, std::span<const FieldInfo> fields,
                   std::optional<std::size_t> not_negative);

// Throws InputError naming the first row where a column of one component is negative.
void check_not_negative(const ParticleSet& particles, const std::string& field);

// Throws InputError naming the first row where a column of one component has another value than a whole number from 0
// to `last`. allowed: these, as the message has them.
void check_kinds(const ParticleSet& particles, const std::string& field, std::size_t last, const std::string& allowed);

// The first component of the field of this name, counted through all fields: their number if it is not there.
std::size_t first_component(std::span<const FieldInfo> fields, std::string_view name);

// True if velocity is among the fields that a force reads: then it is no sum over pairs at positions
// (Force::sums_over_pairs).
bool reads_velocity(std::span<const FieldInfo> fields);

// Throws InputError for particles in a periodic box. what: the subject of the message, such as "gravity on a device".
void check_open(const ParticleSet& particles, const std::string& what);

}  // namespace trellis
