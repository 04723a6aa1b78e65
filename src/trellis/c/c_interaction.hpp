// The fields that functions in C read and sum, by the names of columns.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "trellis/forces/run_time/run_time_pair.hpp"
#include "trellis/particles/particle_set.hpp"

namespace trellis {

// The columns of these names. Throws InputError, naming the argument that has them, for a name that is no column of
// doubles, or there twice, and for too many components.
std::vector<FieldInfo> columns_named(const ParticleSet& particles, const char* argument,
                                     const std::vector<std::string>& names);

// An interaction that reads and sums these columns, without functions. Each argument holds names with spaces between
// them; results with max: or min: before their names are maxima or minima. Throws InputError as columns_named, for a
// null pointer, for i_fields or j_fields that do not begin with position, for results that are empty, in another order
// than that of RunTimePair::outcome, or read as well, and for too many components.
std::shared_ptr<RunTimePair> interaction_of_columns(const ParticleSet& particles, const char* i_fields,
                                                    const char* j_fields, const char* results);

// The number of a field's component among those of i or of j. Throws InputError if they do not have it, or if it is a
// vector.
std::size_t radius_of_i(const RunTimePair& pair, const std::string& field);
std::size_t radius_of_j(const RunTimePair& pair, const std::string& field);

}  // namespace trellis
