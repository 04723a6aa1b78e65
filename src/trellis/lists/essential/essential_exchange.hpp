// The exchange of local essential trees: the sources on other ranks that act on local particles, as imported cells.
#pragma once

#include <compare>
#include <memory>
#include <span>
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
    domain_tree  // the same with many distant ranks as one cell (paper, section 7.2); on several sites as all_gather,
                 // which takes one trip between them, and not one for each level of the tree
};

class EssentialExchange {
  public:
    // digits: see CompressedTree; 0: values are sent uncompressed.
    EssentialExchange(LetScheme scheme, int digits) : scheme_(scheme), digits_(digits) {}

    // The shifts of the images that act beside the particles themselves, zero first: see nearest_images. With images
    // every rank learns of every other, by all_gather. own: a rank imports the images of its own tree, too.
    void set_images(std::span<const Vec3<double>> shifts, bool own) {
        images_.assign(shifts.begin(), shifts.end());
        imports_own_ = own;
    }

    // Construction step: finds what remote ranks need, and begins to send it. Collective, like all that follows.
    // moments: those of the listed tree's cells.
    void begin(const Ranks& ranks, const ListedTree& listed, const CellMoments& moments, Phases& phases);
    // Reusing step: sends new values of the same cells and particles.
    void begin_update(const Ranks& ranks, const ListedTree& listed, const CellMoments& moments, Phases& phases);

    // True if an exchange was begun and is not finished.
    bool under_way() const { return roots_ != nullptr || exchange_ != nullptr; }
    // Moves messages along without waiting, and returns whether all are here; called by one thread at a time. Between
    // sites nobody waits for what other ranks' trees are as a whole, either: as soon as all of it is here, this sends
    // them the essential trees.
    bool progress();

    // Waits for the remote ranks. Returns the imported cells of the step: those of the construction step, with present
    // values. The result is valid until the next finish or drop.
    const ImportedCells& finish(const ListedTree& listed, const CellMoments& moments, Phases& phases);
    // Frees what only reusing steps need; a construction step is to follow.
    void drop();

  private:
    // An image of a rank, by their numbers.
    struct Image {
        int rank;
        std::size_t image;
        auto operator<=>(const Image&) const = default;
    };
    // Those whom an essential tree is for: a rank, as its particles see the image of the local tree, or all ranks of
    // another site that need one, together.
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
    void learn(const Ranks& ranks, const ListedTree& listed, const CellMoments& moments);
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
    bool imports_own_ = false;  // their images

    Verdicts verdicts_;                 // domain_tree
    std::vector<DomainSummary> far_;    // each acts on all local particles as one cell
    std::vector<Image> far_images_;     // but for domain_tree: what far_ is of
    std::vector<LetTarget> targets_;    // those that need essential trees, in the order of their first ranks
    std::vector<EssentialTree> trees_;  // one for each target
    std::vector<CompressedTree> sent_;  // one for each tree; none without digits
    std::unique_ptr<Exchange> exchange_;

    // Between sites: the ranks' trees as a whole on their way, and what is needed when they have come. Essential trees
    // have a communicator of their own, where no other exchange can come before them on some ranks and after on others.
    std::unique_ptr<Exchange> roots_;
    DomainSummary own_root_;
    const ListedTree* local_ = nullptr;
    const CellMoments* local_moments_ = nullptr;
    std::shared_ptr<Comm> all_ranks_, for_trees_;

    std::vector<ImportedTree> imported_trees_;  // far cells, then essential trees in the order of the ranks
    std::vector<CompressedTree> received_;      // one for each essential tree; none without digits
    ImportedCells imported_;
};

}  // namespace trellis
