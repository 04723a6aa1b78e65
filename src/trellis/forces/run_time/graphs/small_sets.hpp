// The pairs within each of many small sets of particles, in single precision, as a device computes them by a graph:
// what its kernel is launched with. The particles are rows of columns of doubles, which the device has.
//
// Memories: the sets; the columns, of which the kernel writes those of the accelerations; the interactions; the
// potentials, a double for each row. A row of `interactions` holds the number of its graph, its cutoff, and the values
// of its parameters: a kernel leaves out sets whose graph is another. Where pairs are excluded, three more: SetLists
// (set_lists.hpp) of each set in each interaction, set by set, whose entries are the particles, in rising order, that a
// particle does not act on, or by a factor, their value; then the numbers and the values of the lists.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace trellis {

struct SmallSet {
    std::uint64_t first;          // row of its first particle
    std::uint32_t count, wanted;  // particles; 0 if it is left out
    double box[3];                // sides, 0 along an axis without images
    std::uint64_t interaction;
    std::uint64_t reference;  // number of the particle to which positions are relative in single precision
};

// The most components of the fields of such an interaction.
inline constexpr std::size_t most_set_components = 24;
// The number of values before the parameters of an interaction.
inline constexpr std::size_t before_parameters = 2;

struct SmallSetsCall {
    std::uint64_t sets, largest;                    // their number, and the most particles of one
    std::uint64_t rows, columns;                    // the stride from one column to the next, and their number
    std::uint64_t interactions, stride;             // their number, and the stride from one to the next
    std::uint64_t graph;                            // the number of the kernel's own
    std::uint32_t acceleration;                     // the first of its three columns
    std::uint32_t columns_of[most_set_components];  // the column of each component of the fields
    std::uint32_t unused = 0;
    std::uint64_t numbers = 0, values = 0;  // of lists
};

// The components of a graph's results that are accelerations, of which this is the first, and the potential.
struct SetResults {
    std::uint32_t acceleration, potential;
};

// The bytes of a graph over small sets, of which pair_kernel (pair_launch.hpp) makes a kernel: here, or on a server.
// excluding: pairs are excluded.
std::vector<std::byte> over_small_sets(std::span<const std::byte> graph, const SetResults& results,
                                       bool excluding = false);

// An interaction as kernels over small sets have it.
struct SetsInteraction {
    std::vector<std::byte> graph;
    SetResults results;
    double range;  // the distance beyond which pairs do not act, or infinite
    std::vector<double> parameters;
};

}  // namespace trellis
