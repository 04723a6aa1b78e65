// The tree of domains (paper, section 7.2): a walk of all ranks for all ranks, level by level, over a tree whose leaves
// are the ranks. Sources that are far from many ranks at once are sent to them as one combined cell, so that each rank
// receives only some cells a level.
//
// Each node of the tree belongs to a rank (see domain_tree). Going up, summaries are joined. Going down, a node sorts
// the nodes that it meets: a far one acts on it as a whole and it on the far one, which settles the pair for all ranks
// below both; the halves of an undecided one meet its own halves on the next level. Two ranks that are undecided in the
// end are near: they need essential trees of each other.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "trellis/lists/essential/domain_summary.hpp"
#include "trellis/ranks/domain/ranks.hpp"

namespace trellis {

// All other ranks, as one rank sees them.
struct DomainWalkResult {
    // A rank that is too near to be one cell.
    struct Neighbour {
        int rank;
        DomainSummary summary;
    };
    std::vector<DomainSummary> far;  // each stands for one or many ranks
    std::vector<Neighbour> near;     // in the order of the ranks
};

// The verdicts on pairs of nodes on this rank, in the order in which they met; a reusing step keeps to them.
class Verdicts {
  public:
    enum class Verdict : std::uint8_t { far, undecided, nothing };  // nothing: one of them has no particles

    void begin_construction() { *this = {}; }
    void begin_reuse() { next_ = 0; }

    // Returns judge() in a construction step, and in a reusing step what it returned then.
    template <class Judge>
    Verdict of(Judge&& judge) {
        if (next_ == given_.size()) given_.push_back(judge());
        return given_[next_++];
    }

  private:
    std::vector<Verdict> given_;
    std::size_t next_ = 0;
};

// Collective.
DomainWalkResult walk_domains(const Ranks& ranks, const DomainSummary& own, const Opening& opening,
                              const CellMoments& moments, Verdicts& verdicts);

}  // namespace trellis
