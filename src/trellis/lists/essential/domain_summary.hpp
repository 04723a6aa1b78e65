// The summary of a rank, or of several neighbouring ranks together, as one cell. As a source it acts on ranks that are
// far enough away; as a target it determines which cells of remote ranks its particles need.
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
    double size = 0;                 // the size in the opening criterion
    double tolerance = 0;            // the smallest tolerance of its particles
    CellSoftening softening;         // zero if no component is a softening
    std::vector<double> sums;        // over its particles: source components after the position
    std::vector<std::byte> moments;  // see CellMoments

    bool empty() const { return count == 0; }
    void write(ByteWriter& out) const;
    static DomainSummary read(ByteReader& in);
};

// The summary of the local tree.
DomainSummary summary_of(const ListedTree& listed, const CellMoments& moments);

// The summary of the particles of a and b together.
DomainSummary join(const DomainSummary& a, const DomainSummary& b, const Opening& opening, const CellMoments& moments);

// The summary of the image at a shift.
DomainSummary moved(DomainSummary summary, const Vec3<double>& shift);

// True if a source may act as a whole on every particle of a target (see Opening, Receiver::particle). Neither is
// empty.
bool acts_as_whole(const DomainSummary& source, const DomainSummary& target, const Opening& opening);

// True if no particle of a source is within the cutoff of one of a target.
bool beyond_cutoff(const DomainSummary& source, const DomainSummary& target, const Opening& opening);

// The particles of a summary as a target of find_essential_tree.
WalkTarget target_of(const DomainSummary& summary);

}  // namespace trellis
