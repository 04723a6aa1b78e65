// The tree of domains (paper, section 7.2): a walk of all ranks for all ranks, level by level, over a tree whose leaves are the ranks. What is far
// from many ranks at once reaches them as one combined cell, so that no rank gets more than some cells a level.
//
// Each node of the tree belongs to a rank (see domain_tree). Going up, summaries combine. Going down, a node has nodes that act on it as a whole and that it acts on as a
// whole (far: for all its ranks, once and for all), and others (undecided), whose halves meet its own halves on the next level. Two
// ranks that are undecided in the end are near: they need essential trees of each other.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "trellis/lists/domain_summary.hpp"
#include "trellis/ranks/ranks.hpp"

namespace trellis {

// What a rank learns of all others.
struct Surroundings {
    // A rank that is too near to be one cell.
    struct Neighbour {
        int rank;
        DomainSummary summary;
    };
    std::vector<DomainSummary> far;  // each stands for one or many ranks
    std::vector<Neighbour> near;     // in the order of the ranks
};

// How pairs of nodes were judged on this rank, in the order that they met: a reusing step keeps to it.
class Verdicts {
  public:
    enum class Verdict : std::uint8_t { far, undecided, nothing };  // nothing: one of them has no particles

    void begin_construction() { *this = {}; }
    void begin_reuse() { next_ = 0; }

    // Calls judge if this is a construction step, and else says what it said then.
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
Surroundings walk_domains(const Ranks& ranks, const DomainSummary& own, const Opening& opening,
                          const CellMoments& moments, Verdicts& verdicts);

}  // namespace trellis
