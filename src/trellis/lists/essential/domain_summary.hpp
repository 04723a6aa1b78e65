// The summary of a rank, or of several neighbouring ranks together, as one cell: it acts as one cell on ranks that are
// far enough away, and as a target tells remote ranks what it needs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "trellis/lists/walk/cell_moments.hpp"
#include "trellis/lists/walk/listed_tree.hpp"
#include "trellis/packing/bytes.hpp"

namespace trellis {

struct DomainSummary {
    std::uint64_t count = 0;  // number of particles; if 0, the other members have no meaning
    CellContents contents{};
    double size = 0;                 // for the opening criterion
    double tolerance = 0;            // smallest of its particles' tolerances
    CellSoftening softening;         // zero if no component is a softening
    std::vector<double> sums;        // over its particles, of a source's components after the position
    std::vector<std::byte> moments;  // see CellMoments

    bool empty() const { return count == 0; }
    void write(ByteWriter& out) const;
    static DomainSummary read(ByteReader& in);
};

// The summary of the local tree.
DomainSummary summary_of(const ListedTree& listed, const CellMoments& moments);

// The summary of both together.
DomainSummary join(const DomainSummary& a, const DomainSummary& b, const Opening& opening, const CellMoments& moments);

// The summary of an image.
DomainSummary moved(DomainSummary summary, const Vec3<double>& shift);

// True if a source may act as a whole on every particle of a target (see Opening, Receiver::particle). Neither is
// empty.
bool acts_as_whole(const DomainSummary& source, const DomainSummary& target, const Opening& opening);

// True if no particle of a source is within the cutoff of one of a target.
bool beyond_cutoff(const DomainSummary& source, const DomainSummary& target, const Opening& opening);

// The summary's particles, as a target of find_essential_tree.
WalkTarget target_of(const DomainSummary& summary);

}  // namespace trellis
