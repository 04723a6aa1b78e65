// The exchange of local essential trees: the sources on other ranks that act on local particles, as imported cells.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "trellis/base/phase.hpp"
#include "trellis/lists/essential/compressed_tree.hpp"
#include "trellis/lists/essential/domain_walk.hpp"
#include "trellis/lists/essential/essential_values.hpp"

namespace trellis {

// The scheme by which ranks learn of each other.
enum class LetScheme {
    all_to_all,  // an essential tree from every rank to every other (Iwasawa et al. 2016)
    all_gather,  // every rank's whole tree as one cell to all; essential trees only where that is too near (paper,
                 // section 6.3)
    domain_tree  // the same with many distant ranks as one cell (paper, section 7.2)
};

class EssentialExchange {
  public:
    // digits: see CompressedTree; 0: values are sent uncompressed.
    EssentialExchange(LetScheme scheme, int digits) : scheme_(scheme), digits_(digits) {}

    // Construction step: finds what remote ranks need, and begins to send it. Collective, like all that follows.
    // moments: those of the listed tree's cells.
    void begin(const Ranks& ranks, const ListedTree& listed, const CellMoments& moments, Phases& phases);
    // Reusing step: sends new values of the same cells and particles.
    void begin_update(const Ranks& ranks, const ListedTree& listed, const CellMoments& moments, Phases& phases);

    // True if an exchange was begun and is not finished.
    bool under_way() const { return exchange_ != nullptr; }
    // Moves messages along without waiting; called by one thread at a time.
    void progress();

    // Waits for the remote ranks. Returns the imported cells of the step: those of the construction step, with present
    // values. The result is valid until the next finish.
    const ImportedCells& finish(const ListedTree& listed, const CellMoments& moments, Phases& phases);

  private:
    void meet_all(const Ranks& ranks, const DomainSummary& own, const ListedTree& listed);
    void learn(const Ranks& ranks, const ListedTree& listed, const CellMoments& moments);
    void find_trees(const ListedTree& listed, const CellMoments& moments);
    void send(const Ranks& ranks, const ListedTree& listed, const CellMoments& moments);
    void write_tree(std::size_t k, const ListedTree& listed, const CellMoments& moments, ByteWriter& out);
    void read_tree(std::size_t k, const CellMoments& moments, ByteReader& in);
    void make_imported_of(std::vector<ByteReader>& readers, const ListedTree& listed, const CellMoments& moments);

    LetScheme scheme_;
    int digits_;
    bool constructing_ = false;

    Verdicts verdicts_;                                   // domain_tree
    std::vector<DomainSummary> far_;                      // each acts on all local particles as one cell
    std::vector<int> far_ranks_;                          // all_gather only: the ranks of far_
    std::vector<std::pair<int, DomainSummary>> targets_;  // ranks that need essential trees
    std::vector<EssentialTree> trees_;                    // one for each target
    std::vector<CompressedTree> sent_;                    // one for each tree; none without digits
    std::unique_ptr<Exchange> exchange_;

    std::vector<ImportedTree> imported_trees_;  // far cells, then essential trees in the order of the ranks
    std::vector<CompressedTree> received_;      // one for each essential tree; none without digits
    ImportedCells imported_;
};

}  // namespace trellis
