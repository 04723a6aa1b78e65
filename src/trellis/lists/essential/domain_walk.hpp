// The tree of domains (paper, section 7.2): all ranks together walk a tree whose leaves are the ranks, level by level.
// Sources that are far from many ranks at once are sent to them as one combined cell, so that each rank receives only a
// few cells for each level.
//
// Each node of the tree belongs to a rank (see domain_tree). Going up, summaries are joined. Going down, pairs of nodes
// are classified: the nodes of a far pair act on each other as wholes, which settles the pair for all ranks below both;
// the halves of the nodes of an undecided pair are classified on the next level. Two ranks whose pair is undecided in
// the end are near, and need essential trees of each other.
#pragma once

#include <cstdint>
#include <vector>

#include "trellis/lists/essential/domain_summary.hpp"
#include "trellis/ranks/domain/ranks.hpp"

namespace trellis {

// The other ranks, sorted by their distance from one rank.
struct DomainWalkResult {
    // A rank too near to act as one cell.
    struct Neighbour {
        int rank;
        DomainSummary summary;
    };
    std::vector<DomainSummary> far;  // each sums up one or several ranks
    std::vector<Neighbour> near;     // in the order of the ranks
};

// The verdicts on pairs of nodes on this rank, in the order in which they were classified; a reusing step keeps them.
class Verdicts {
  public:
    enum class Verdict : std::uint8_t { far, undecided, nothing };  // nothing: one node has no particles

    void begin_construction() { *this = {}; }
    void begin_reuse() { next_ = 0; }

    // Returns judge() in a construction step, and in a reusing step its result of the construction step.
    template <class Judge>
    Verdict of(Judge&& judge) {
        if (next_ == given_.size()) given_.push_back(judge());
        return given_[next_++];
    }

  private:
    std::vector<Verdict> given_;
    std::size_t next_ = 0;
};

// own: the summary of the local tree. Collective.
DomainWalkResult walk_domains(const Ranks& ranks, const DomainSummary& own, const Opening& opening,
                              const CellMoments& moments, Verdicts& verdicts);

}  // namespace trellis
