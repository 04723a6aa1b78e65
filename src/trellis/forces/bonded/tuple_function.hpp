// The energy of a tuple of particles as a function of the steps from each member to the next.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace trellis {

// The number of tuples between two components of the arguments of TupleFunction::evaluate.
inline constexpr std::size_t tuples_at_once = 64;

struct TupleFunction {
    std::string name;  // for messages

    // Computes `count` tuples, a multiple of eight and at most tuples_at_once. Component c of tuple t is value
    // c * tuples_at_once + t. tuple: three components of each step, then the values of each tuple; outcome: the energy,
    // then its derivatives by the components of the steps.
    void (*evaluate)(const double* parameters, const double* tuple, double* outcome, std::size_t count) = nullptr;
    std::vector<double> parameters;
    std::size_t values = 0;             // of each tuple, beside the steps
    std::vector<double> of_each_tuple;  // the values of the first tuple of the list, then those of the next

    friend bool operator==(const TupleFunction&, const TupleFunction&) = default;
};

}  // namespace trellis
