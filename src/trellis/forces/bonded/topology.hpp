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

// Pairs by which a force between pairs differs from that of all pairs.
struct PairFactors {
    TupleList excluded{{}, 2};    // pairs that do not act on each other, or by a factor
    TupleList scaled{{}, 2};      // the latter
    std::vector<double> factors;  // one for each scaled pair

    friend bool operator==(const PairFactors&, const PairFactors&) = default;
};

struct Topology {
    TuplePotentials potentials;                // bonds, angles and dihedrals
    std::shared_ptr<const PairFactors> pairs;  // null if all pairs count

    bool empty() const { return potentials.empty() && pairs == nullptr; }
    // The rows of both particles of each such pair in turn, among particles of these ids. Throws InputError for an id
    // that no particle has.
    std::vector<std::uint32_t> excluded_rows(std::span<const std::uint64_t> ids) const {
        return pairs == nullptr ? std::vector<std::uint32_t>() : pairs->excluded.rows(ids, "excluded pairs");
    }
    std::vector<std::uint32_t> scaled_rows(std::span<const std::uint64_t> ids) const {
        return pairs == nullptr ? std::vector<std::uint32_t>() : pairs->scaled.rows(ids, "excluded pairs");
    }
    std::span<const double> factors() const {
        return pairs == nullptr ? std::span<const double>() : std::span<const double>(pairs->factors);
    }

    friend bool operator==(const Topology& a, const Topology& b) {
        if (a.pairs == nullptr || b.pairs == nullptr) return a.pairs == b.pairs && a.potentials == b.potentials;
        return *a.pairs == *b.pairs && a.potentials == b.potentials;
    }
};

}  // namespace trellis
