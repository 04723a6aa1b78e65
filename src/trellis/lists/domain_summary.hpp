// What a rank, or several neighbouring ranks together, look like from afar: one cell. It acts as one on those who are far enough away, and as a target tells
// others what it needs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "trellis/lists/cell_moments.hpp"
#include "trellis/lists/listed_tree.hpp"
#include "trellis/ranks/bytes.hpp"

namespace trellis {

struct DomainSummary {
    std::uint64_t count = 0;  // of particles; all else counts only above 0
    CellContents contents{};
    double size = 0;                 // for the opening criterion
    double tolerance = 0;            // smallest of its particles'
    std::vector<double> sums;        // of the components of a source after the position's
    std::vector<std::byte> moments;  // see CellMoments

    bool empty() const { return count == 0; }
    void write(ByteWriter& out) const;
    static DomainSummary read(ByteReader& in);
};

// Of the own tree.
DomainSummary summary_of(const ListedTree& listed, const CellMoments& moments);

// Of both together.
DomainSummary join(const DomainSummary& a, const DomainSummary& b, const Opening& opening, const CellMoments& moments);

// Whether a source may act as a whole on every particle of a target (see Opening, Receiver::particle). Nobody is empty.
bool acts_as_whole(const DomainSummary& source, const DomainSummary& target, const Opening& opening);

// The summary's particles, as a target of find_essential_tree.
WalkTarget target_of(const DomainSummary& summary);

}  // namespace trellis
