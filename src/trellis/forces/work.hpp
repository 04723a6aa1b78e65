// The work of a force: counted, so that it is the same on every machine.
#pragma once

#include <cstdint>

namespace trellis {

// Work done, in units that do not depend on the machine.
struct Work {
    std::uint64_t pairs = 0;       // interactions of an i-particle with a j-particle or a superparticle
    std::uint64_t expansions = 0;  // interactions of a target cell with a cell, by local expansion
    std::uint64_t multipoles = 0;  // the pairs whose superparticle has moments beyond the monopole
    double cost = 0;               // about the cost of the above, in pairs, by which ranks are balanced
    Work& operator+=(const Work& other) {
        pairs += other.pairs;
        expansions += other.expansions;
        multipoles += other.multipoles;
        cost += other.cost;
        return *this;
    }
};

}  // namespace trellis
