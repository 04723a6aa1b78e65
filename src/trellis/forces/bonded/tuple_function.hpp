// The energy of a tuple of particles as a function of the steps from each member to the next.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace trellis {

// The number of tuples between two components of the arguments of TupleFunction::evaluate.
inline constexpr std::size_t tuples_at_once = 64;

struct TupleFunction {
    std::string name;  // for messages

    // Computes `count` tuples, a multiple of eight and at most tuples_at_once. Component c of tuple t is value
    // c * tuples_at_once + t. tuple: three components of each step, then the values of each tuple, then those of each
    // column, member by member; outcome: the energy, then its derivatives by the components of the steps.
    void (*evaluate)(const double* parameters, const double* tuple, double* outcome, std::size_t count) = nullptr;
    std::vector<double> parameters;
    std::size_t values = 0;             // of each tuple, beside the steps
    std::vector<double> of_each_tuple;  // the values of the first tuple of the list, then those of the next

    // The same as a graph (forces/run_time/tuples/tuple_graph.hpp), for devices; empty: they do not have it. Its values
    // are the first `common` parameters, then those of each tuple.
    std::vector<std::byte> graph = {};
    std::size_t common = 0;

    std::vector<std::string> columns = {};  // of one number for each particle; only a BondedForce has them

    // Appends the values of tuple k of the list, as the graph has them.
    void append_values(std::size_t k, std::vector<double>& to) const {
        const auto of_tuple = std::span(of_each_tuple).subspan(k * values, values);
        to.insert(to.end(), parameters.begin(), parameters.begin() + static_cast<std::ptrdiff_t>(common));
        to.insert(to.end(), of_tuple.begin(), of_tuple.end());
    }

    friend bool operator==(const TupleFunction&, const TupleFunction&) = default;
};

}  // namespace trellis
