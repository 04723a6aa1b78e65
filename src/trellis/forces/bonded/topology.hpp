// The topology of the molecules of a small system: what acts beside a force between pairs.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "trellis/forces/bonded/tuple_function.hpp"
#include "trellis/lists/tuples/tuple_list.hpp"

namespace trellis {

struct TuplePotential {
    std::shared_ptr<const TupleList> tuples;
    std::shared_ptr<const TupleFunction> function;

    friend bool operator==(const TuplePotential& a, const TuplePotential& b) {
        return (a.function == b.function || *a.function == *b.function) &&
               (a.tuples == b.tuples || *a.tuples == *b.tuples);
    }
};
using TuplePotentials = std::vector<TuplePotential>;

struct Topology {
    TuplePotentials potentials;                 // bonds, angles and dihedrals
    std::shared_ptr<const TupleList> excluded;  // pairs that do not act on each other; null if all do

    bool empty() const { return potentials.empty() && excluded == nullptr; }
    // The rows of each excluded pair in turn, among particles of these ids. Throws InputError for one without particle.
    std::vector<std::uint32_t> excluded_rows(std::span<const std::uint64_t> ids) const {
        return excluded == nullptr ? std::vector<std::uint32_t>() : excluded->rows(ids, "excluded pairs");
    }

    friend bool operator==(const Topology& a, const Topology& b) {
        const bool same =
            a.excluded == nullptr || b.excluded == nullptr ? a.excluded == b.excluded : *a.excluded == *b.excluded;
        return same && a.potentials == b.potentials;
    }
};

}  // namespace trellis
