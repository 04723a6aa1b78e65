// The exchange of local essential trees: what acts on the own particles and is on other ranks, as a graft.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "trellis/base/phase.hpp"
#include "trellis/lists/compressed_tree.hpp"
#include "trellis/lists/domain_walk.hpp"
#include "trellis/lists/essential_values.hpp"

namespace trellis {

// How ranks get to know each other.
enum class EssentialScheme {
    all_to_all,  // an essential tree from every rank to every other (Iwasawa et al. 2016)
    all_gather,  // every rank's whole tree as one cell to all; essential trees only where that is too near (paper, section 6.3)
    domain_tree  // the same with many distant ranks as one cell (paper, section 7.2)
};

class EssentialExchange {
  public:
    // digits: see CompressedTree; 0: values travel as they are.
    EssentialExchange(EssentialScheme scheme, int digits) : scheme_(scheme), digits_(digits) {}

    // Construction step: finds what others need, and begins to send it. Collective, like all that follows. moments: of the listed tree's cells.
    void begin(const Ranks& ranks, const ListedTree& listed, const CellMoments& moments, Phases& phases);
    // Reusing step: sends new values of the same cells and particles.
    void begin_update(const Ranks& ranks, const ListedTree& listed, const CellMoments& moments, Phases& phases);

    // Whether a begin has had no finish.
    bool under_way() const { return exchange_ != nullptr; }
    // Moves messages along, without waiting; by one thread at a time.
    void progress();

    // Waits for the others. The graft of the step, whose cells are those of the construction step. It stays until the next finish.
    const Graft& finish(const ListedTree& listed, const CellMoments& moments, Phases& phases);

  private:
    void meet_all(const Ranks& ranks, const DomainSummary& own, const ListedTree& listed);
    void learn(const Ranks& ranks, const ListedTree& listed, const CellMoments& moments);
    void find_trees(const ListedTree& listed, const CellMoments& moments);
    void send(const Ranks& ranks, const ListedTree& listed, const CellMoments& moments);
    void write_tree(std::size_t k, const ListedTree& listed, const CellMoments& moments, ByteWriter& out);
    void read_tree(std::size_t k, const CellMoments& moments, ByteReader& in);
    void make_graft_of(std::vector<ByteReader>& readers, const ListedTree& listed, const CellMoments& moments);

    EssentialScheme scheme_;
    int digits_;
    bool constructing_ = false;

    Verdicts verdicts_;                                   // domain_tree
    std::vector<DomainSummary> far_;                      // act on all own particles as one cell each
    std::vector<int> far_ranks_;                          // all_gather: of which ranks these are
    std::vector<std::pair<int, DomainSummary>> targets_;  // ranks that need essential trees
    std::vector<EssentialTree> trees_;                    // for each of these
    std::vector<CompressedTree> sent_;                    // of each tree, with digits only
    std::unique_ptr<Exchange> exchange_;

    std::vector<GraftedTree> grafted_;      // far cells, then essential trees in the order of the ranks
    std::vector<CompressedTree> received_;  // of each of these trees, with digits only
    Graft graft_;
};

}  // namespace trellis
