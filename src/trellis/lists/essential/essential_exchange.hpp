// The exchange of local essential trees: it imports the cells and particles of other ranks that act on local particles.
#pragma once

#include <compare>
#include <memory>
#include <span>
#include <vector>

#include "trellis/base/phase.hpp"
#include "trellis/lists/essential/compressed_tree.hpp"
#include "trellis/lists/essential/domain_walk.hpp"

namespace trellis {

// The scheme by which ranks exchange the summaries of their trees.
enum class LetScheme {
    all_to_all,  // an essential tree from every rank to every other (Iwasawa et al. 2016)
    all_gather,  // every rank's tree as one cell to all, essential trees only between near ranks (paper, section 6.3)
    domain_tree  // the same with many distant ranks as one cell (paper, section 7.2); between sites as all_gather,
                 // which takes one hop instead of one for each level of the tree
};

class EssentialExchange {
  public:
    // digits: see CompressedTree; 0 sends values uncompressed.
    EssentialExchange(LetScheme scheme, int digits) : scheme_(scheme), digits_(digits) {}

    // shifts: of the images that act, zero, the particles themselves, first (see nearest_images). With images summaries
    // are exchanged as by all_gather. own: a rank imports the images of its own tree, too.
    void set_images(std::span<const Vec3<double>> shifts, bool own) {
        images_.assign(shifts.begin(), shifts.end());
        imports_own_ = own;
    }

    // Construction step: finds the essential trees for remote ranks, and begins to send them. moments: of the cells of
    // the listed tree. Collective, as all calls below.
    void begin(const Ranks& ranks, const ListedTree& listed, const CellMoments& moments, Phases& phases);
    // Reusing step: sends the present values of the same cells and particles.
    void begin_update(const Ranks& ranks, const ListedTree& listed, const CellMoments& moments, Phases& phases);

    // True from begin, or begin_update, to finish.
    bool under_way() const { return roots_ != nullptr || exchange_ != nullptr; }
    // Moves messages along without waiting; true if all have arrived. Called by one thread at a time. Between sites it
    // sends the essential trees as soon as the summaries of all ranks have arrived, for which no rank waits.
    bool progress();

    // Waits for the remote ranks. Returns the imported cells, those of the construction step, with their present
    // values; valid until the next finish or drop.
    const ImportedCells& finish(const ListedTree& listed, const CellMoments& moments, Phases& phases);
    // Frees the memory that only reusing steps need; a construction step follows.
    void drop();

  private:
    // An image of a rank, by their numbers.
    struct Image {
        int rank;
        std::size_t image;
        auto operator<=>(const Image&) const = default;
    };
    // The receiver of an essential tree: a rank, for one image of the local tree, or all ranks of another site that
    // need that image.
    struct LetTarget {
        std::vector<int> ranks;
        DomainSummary summary;
        Vec3<double> shift;
    };

    bool by_domain_tree(const Comm& comm) const {
        return scheme_ == LetScheme::domain_tree && images_.size() == 1 && !comm.spans_sites();
    }
    void classify_image(const Image& image, const DomainSummary& own, const DomainSummary& other,
                        const Opening& opening);
    void begin_between_sites(const Ranks& ranks, const ListedTree& listed, const CellMoments& moments);
    void receive_roots();
    void classify_ranks(const Comm& comm, std::span<const std::byte> roots, const DomainSummary& own,
                        const ListedTree& listed);
    void join_targets_of_sites(const Comm& comm, const Opening& opening, const CellMoments& moments);
    void exchange_summaries(const Ranks& ranks, const ListedTree& listed, const CellMoments& moments);
    void find_trees(const ListedTree& listed, const CellMoments& moments);
    void send(Comm& comm, const ListedTree& listed, const CellMoments& moments);
    std::vector<Message> messages_of(const std::vector<std::vector<std::byte>>& trees) const;
    void write_tree(std::size_t k, const ListedTree& listed, const CellMoments& moments, ByteWriter& out);
    void read_tree(std::size_t k, const CellMoments& moments, ByteReader& in);
    void make_imported_of(std::vector<ByteReader>& readers, const ListedTree& listed, const CellMoments& moments);

    LetScheme scheme_;
    int digits_;
    bool constructing_ = false;

    std::vector<Vec3<double>> images_{{0, 0, 0}};
    bool imports_own_ = false;  // images of the local tree

    Verdicts verdicts_;                 // of the domain walk
    std::vector<DomainSummary> far_;    // each acts on all local particles as one cell
    std::vector<Image> far_images_;     // the images that far_ sums up, unless a domain walk found them
    std::vector<LetTarget> targets_;    // receivers of essential trees, in the order of their first ranks
    std::vector<EssentialTree> trees_;  // one for each target
    std::vector<CompressedTree> sent_;  // one for each tree; empty without digits
    std::unique_ptr<Exchange> exchange_;

    // Between sites: the summaries of all ranks under way, and the arguments needed when they have arrived. Essential
    // trees have a communicator of their own, since ranks begin that exchange at different times among their other
    // exchanges.
    std::unique_ptr<Exchange> roots_;
    DomainSummary own_root_;
    const ListedTree* local_ = nullptr;
    const CellMoments* local_moments_ = nullptr;
    std::shared_ptr<Comm> all_ranks_, for_trees_;

    std::vector<ImportedTree> imported_trees_;  // far cells, then essential trees in the order of the ranks
    std::vector<CompressedTree> received_;      // one for each essential tree; empty without digits
    ImportedCells imported_;
};

}  // namespace trellis
