// An interaction in Python that was written into an object file, with which a program is linked: its functions for each
// instruction set, and the rest of it as bytes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "trellis/devices/devices.hpp"
#include "trellis/forces/force.hpp"
#include "trellis/forces/run_time/run_time_pair.hpp"
#include "trellis/forces/short_range/short_range_force.hpp"
#include "trellis/forces/tree/settings.hpp"

namespace trellis {

using AnyFunction = void (*)();

// As python/trellis/interactions/code/object_file.py writes it. Null for functions that the interaction has not.
struct LinkedInteraction {
    const std::byte* description;
    std::uint64_t bytes;                                 // of the description
    std::array<const AnyFunction*, 3> functions_of_set;  // for v2, v3 and v4, in the order of linked_functions()
};

// The names of the functions.
std::vector<std::string> linked_functions();

// The version of Trellis, the pair without its functions, and the settings of a force, as bytes. Throws InputError for
// excluded pairs, whose particles the program of the description does not have.
std::vector<std::byte> description_of(const RunTimePair& pair, const ForceSettings& settings);
std::vector<std::byte> description_of(const RunTimePair& pair, double cutoff, const ShortRangeSettings& settings);

// The force of the description. numbers: other values of parameters, of the cutoff, and of theta or accuracy of a force
// of long range, by name. Throws InputError for names and values that are not allowed, for an interaction that another
// version of Trellis has written, and for a processor of another kind.
std::unique_ptr<Force> linked_force(const LinkedInteraction& linked,
                                    std::span<const std::pair<std::string, double>> numbers, const Devices& devices);

}  // namespace trellis
