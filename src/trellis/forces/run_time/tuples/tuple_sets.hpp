// Forces over tuples within each of many small sets of particles, as a device adds them to those of pairs
// (graphs/small_sets.hpp): what their kernel is launched with.
//
// Memories: the sets; the columns, to whose accelerations the kernel adds; the potentials, to which it adds a tuple's
// energy in equal shares of its members, per mass; SetLists (graphs/set_lists.hpp) of each graph, of each set in each
// interaction; their numbers; their values. An entry of list k says in which tuple particle k is, and as which member:
// tuple * members + member. The members of a tuple are numbers of particles, its values those that the graph reads.
#pragma once

#include <cstdint>

namespace trellis {

struct TupleSetsCall {
    std::uint64_t sets, largest;                             // their number, and the most particles of one
    std::uint64_t rows, columns;                             // the stride from one column to the next, and their number
    std::uint64_t interactions;                              // their number
    std::uint64_t graph;                                     // the number of the kernel's own
    std::uint64_t numbers, values;                           // of lists
    std::uint32_t position, mass, acceleration, unused = 0;  // columns, the first of three
};

}  // namespace trellis
