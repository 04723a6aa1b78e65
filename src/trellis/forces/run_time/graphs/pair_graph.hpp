// The computation of an interaction for a pair of particles, as a graph of arithmetic: data that may come from another
// machine.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace trellis {

// The closed list. The first four are leaves: a number, a parameter, a component of a field of i or of j.
enum class Operation : std::uint8_t {
    constant,
    parameter,
    of_i,
    of_j,
    add,
    sub,
    mul,
    reciprocal,
    rsqrt,              // 0 at 0
    rsqrt_of_positive,  // of a number above 0
    exp,
    log,
    sin,
    cos,
    atan2,
    abs,
    minimum,
    maximum,
    less,
    less_equal,
    equal,
    both,
    either,
    negation,
    where,
    floor,
    entry,  // one of four values that follow each other in the tables, the first of which a number says
    erf,
    erfc,
    tanh,
};

struct OperationInfo {
    std::string_view name;
    std::string_view takes;  // a letter for each argument: n, a number; c, a condition
    char gives = 'n';
};

// The operations by number.
std::span<const OperationInfo> graph_operations();

// Particles on which a node depends: bits.
inline constexpr unsigned from_i = 1, from_j = 2;

struct GraphNode {
    Operation operation = Operation::constant;
    std::array<std::uint32_t, 3> args{};  // numbers of earlier nodes
    std::uint32_t number = 0;             // of the parameter, of the component among those of all fields, of an entry
    double value = 0;                     // of a constant
    unsigned reads = 0;

    const OperationInfo& info() const { return graph_operations()[static_cast<std::size_t>(operation)]; }
    std::span<const std::uint32_t> arguments() const { return std::span(args).first(info().takes.size()); }
    bool is_condition() const { return info().gives == 'c'; }
    bool is_constant() const { return operation == Operation::constant; }
};

enum class ResultKind : std::uint8_t { sum, maximum, minimum };

struct GraphResult {
    ResultKind kind;
    std::uint32_t value;   // the node of a pair's value
    std::uint32_t factor;  // with factors: the node by which the sum is multiplied, which no j decides
};

struct PairGraph {
    bool short_range;             // within a cutoff or a search radius; else over the lists of a tree
    bool factors;                 // sums have factors: without them, the host finishes what neighbour lists give
    std::uint32_t components;     // of all fields, the position first, as in a row (row_layout.hpp)
    std::uint32_t parameters;     // at least 1
    std::uint32_t first_entry;    // the number of the first of the entries
    std::vector<double> entries;  // the values of tables, four in a row
    std::vector<GraphNode> nodes;
    std::vector<GraphResult> results;  // by component
    std::uint32_t within = 0;          // short range: the node of the condition under which a pair counts
};

// The most components that an interaction has in Source, in Target, and in its outcome.
inline constexpr std::size_t most_run_time_components = 24;

// Beyond these numbers a graph is refused.
inline constexpr std::size_t most_graph_nodes = 2000, most_graph_parameters = 256;

// The most rows of tables: 64 KiB of doubles, which each GPU has as memory for constants.
inline constexpr std::size_t most_graph_rows = 2048;

// Reads a graph. Throws InputError for malformed ones: an operation that is not on the list or refers to a later
// one, a condition in the place of a number, a number beyond its range, too few or too many bytes.
PairGraph read_pair_graph(std::span<const std::byte> bytes);

}  // namespace trellis
