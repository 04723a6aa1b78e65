// The walk in steps; all ranks take every step together, level by level.
//
//   1 combine: up the tree, the owner of a node joins the summaries of its halves and sends the result to the owner of
//     the parent.
//   2 begin: the root is present on the rank that owns it, with no other node to classify.
//   Then for each level, from the root's down:
//   3 exchange halves: a present node of this level that has halves sends them to all nodes that it is undecided with.
//   4 divide: it hands over to its halves all nodes that are far from it, and all halves that it has received; or
//     classify: a leaf that is present, as it stays on all lower levels, classifies the halves that it has received.
//   5 take over: the halves are present now, on the ranks that own them, and classify the nodes handed over to them.
//   6 conclude: all present nodes are leaves, and nodes that are still undecided are near ranks.
//
// The waits cannot deadlock. In step 1 a rank sends its leaf's summary before it waits, and then waits only for nodes
// below its own. In step 3 all ranks take part on each level. In steps 4 and 5 the owners of a level's nodes send to
// the owners of the halves, without waiting, before they wait for the parents of their own nodes; the owners of a node
// and of its halves lie in the node's box, and the boxes of a level are disjoint, so that these waits form no circle.
#include "trellis/lists/essential/domain_walk.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <optional>

namespace trellis {

namespace {

using Verdict = Verdicts::Verdict;

// A node of another rank, or the other half of a node, and its summary.
struct RemoteNode {
    int node;
    DomainSummary summary;

    void write(ByteWriter& out) const {
        out.put(node);
        summary.write(out);
    }
    static RemoteNode read(ByteReader& in) {
        const int node = in.get<int>();
        return {node, DomainSummary::read(in)};
    }
};

std::vector<RemoteNode> read_rest(ByteReader& in) {
    std::vector<RemoteNode> nodes;
    while (!in.at_end()) nodes.push_back(RemoteNode::read(in));
    return nodes;
}

// The tree of domains with the nodes that this rank owns.
class LocalView {
  public:
    LocalView(const std::vector<DomainNode>& nodes, int rank)
        : nodes_(nodes), rank_(rank), parents_(nodes.size(), -1), depths_(nodes.size(), 0) {
        for (int node = 0; node < static_cast<int>(nodes.size()); ++node) {
            if (is_here(node)) (is_leaf(node) ? leaf_ : inner_) = node;
            if (is_leaf(node)) continue;
            for (const int half : halves(node)) {
                parents_[index(half)] = node;
                depths_[index(half)] = depth(node) + 1;
            }
            levels_ = std::max(levels_, depth(node) + 1);
        }
    }

    int leaf() const { return leaf_; }
    bool has_inner() const { return inner_ >= 0; }
    int inner() const { return inner_; }
    int levels() const { return levels_; }  // the number of levels with nodes that have halves

    int owner(int node) const { return nodes_[index(node)].owner; }
    bool is_here(int node) const { return owner(node) == rank_; }
    bool is_leaf(int node) const { return nodes_[index(node)].left < 0; }
    std::array<int, 2> halves(int node) const { return {nodes_[index(node)].left, nodes_[index(node)].right}; }
    int depth(int node) const { return depths_[index(node)]; }
    // The rank that owns the parent, if it is not this one.
    std::optional<int> parent_elsewhere(int node) const {
        const int parent = parents_[index(node)];
        return parent < 0 || is_here(parent) ? std::nullopt : std::optional(owner(parent));
    }

  private:
    static std::size_t index(int node) { return static_cast<std::size_t>(node); }

    const std::vector<DomainNode>& nodes_;
    int rank_;
    std::vector<int> parents_, depths_;  // of each node
    int leaf_ = -1, inner_ = -1;         // the nodes that this rank owns; -1: it owns no such node
    int levels_ = 0;
};

// The node that represents this rank on the current level, and the other nodes sorted by their distance from it.
struct Present {
    int node;
    std::vector<DomainSummary> far;
    std::vector<RemoteNode> undecided;
};

class DomainWalk {
  public:
    DomainWalk(const Ranks& ranks, const Opening& opening, const CellMoments& moments, Verdicts& verdicts)
        : comm_(*ranks.comm),
          view_(ranks.domains, comm_.rank()),
          opening_(opening),
          moments_(moments),
          verdicts_(verdicts) {}

    DomainWalkResult run(const DomainSummary& own) {
        combine(own);
        if (view_.is_here(0)) begin(0, {}, {});
        for (int depth = 0; depth < view_.levels(); ++depth) {
            const bool divides = present_ && !view_.is_leaf(present_->node) && view_.depth(present_->node) == depth;
            std::vector<RemoteNode> others = exchange_halves(divides);
            if (divides)
                divide(others);
            else if (present_ && view_.is_leaf(present_->node))
                classify(std::move(others));
            take_over(depth + 1);
        }
        return conclude();
    }

  private:
    // Step 1.
    void combine(const DomainSummary& own) {
        of_leaf_ = own;
        send_to_parent(view_.leaf(), of_leaf_);
        if (!view_.has_inner()) return;
        for (const int half : view_.halves(view_.inner()))
            halves_.push_back({half, half == view_.leaf() ? of_leaf_ : receive_summary(view_.owner(half))});
        of_inner_ = join(halves_[0].summary, halves_[1].summary, opening_, moments_);
        send_to_parent(view_.inner(), of_inner_);
    }
    void send_to_parent(int node, const DomainSummary& summary) {
        const auto parent = view_.parent_elsewhere(node);
        if (!parent) return;
        ByteWriter out;
        summary.write(out);
        comm_.send(*parent, out.take());
    }
    DomainSummary receive_summary(int from) {
        const auto bytes = comm_.receive(from);
        ByteReader in(bytes);
        return DomainSummary::read(in);
    }

    // Steps 2 and 5: makes this node present. far: the nodes far from its parent; others: the nodes to classify.
    void begin(int node, std::vector<DomainSummary> far, std::vector<RemoteNode> others) {
        present_ = std::make_unique<Present>(Present{node, std::move(far), {}});
        classify(std::move(others));
    }

    // Sorts other nodes into those far from the present node and undecided ones.
    void classify(std::vector<RemoteNode> others) {
        const DomainSummary& own = present_->node == view_.leaf() ? of_leaf_ : of_inner_;
        for (RemoteNode& other : others) {
            const Verdict verdict = verdicts_.of([&] {
                if (own.empty() || other.summary.empty()) return Verdict::nothing;
                return acts_as_whole(other.summary, own, opening_) && acts_as_whole(own, other.summary, opening_)
                           ? Verdict::far
                           : Verdict::undecided;
            });
            if (verdict == Verdict::far) present_->far.push_back(std::move(other.summary));
            if (verdict == Verdict::undecided) present_->undecided.push_back(std::move(other));
        }
    }

    // Step 3. Returns the halves received from undecided nodes and, if this node divides, the leaves that it is
    // undecided with.
    std::vector<RemoteNode> exchange_halves(bool divides) {
        std::vector<Message> messages;
        if (divides) {
            ByteWriter out;
            for (const RemoteNode& half : halves_) half.write(out);
            const auto bytes = out.take();
            for (const RemoteNode& other : present_->undecided) messages.push_back({view_.owner(other.node), bytes});
        }
        std::vector<RemoteNode> others;
        for (const Message& message : comm_.begin_exchange(std::move(messages))->finish()) {
            ByteReader in(message.bytes);
            std::ranges::move(read_rest(in), std::back_inserter(others));
        }
        if (!present_) return others;
        const auto is_leaf = [&](const RemoteNode& other) { return view_.is_leaf(other.node); };
        if (divides) std::ranges::copy_if(present_->undecided, std::back_inserter(others), is_leaf);
        std::erase_if(present_->undecided, [&](const RemoteNode& other) { return !is_leaf(other); });
        return others;
    }

    // Step 4. Each half classifies the other one as well.
    void divide(const std::vector<RemoteNode>& others) {
        const std::vector<DomainSummary> far = std::move(present_->far);
        present_.reset();
        for (const std::size_t half : {0, 1}) {
            std::vector<RemoteNode> all = others;
            all.push_back(halves_[1 - half]);
            if (halves_[half].node == view_.leaf()) {
                begin(view_.leaf(), far, std::move(all));
                continue;
            }
            ByteWriter out;
            out.put(std::uint64_t{far.size()});
            for (const DomainSummary& summary : far) summary.write(out);
            for (const RemoteNode& other : all) other.write(out);
            comm_.send(view_.owner(halves_[half].node), out.take());
        }
    }

    // Step 5, for this rank's nodes of this depth whose parents are on other ranks.
    void take_over(int depth) {
        for (const int node : {view_.inner(), view_.leaf()}) {
            if (node < 0 || view_.depth(node) != depth) continue;
            const auto parent = view_.parent_elsewhere(node);
            if (!parent) continue;
            const auto bytes = comm_.receive(*parent);
            ByteReader in(bytes);
            std::vector<DomainSummary> far(in.get<std::uint64_t>());
            for (DomainSummary& summary : far) summary = DomainSummary::read(in);
            begin(node, std::move(far), read_rest(in));
        }
    }

    // Step 6.
    DomainWalkResult conclude() {
        DomainWalkResult all{std::move(present_->far), {}};
        for (RemoteNode& other : present_->undecided)
            all.near.push_back({view_.owner(other.node), std::move(other.summary)});
        std::ranges::sort(all.near, {}, &DomainWalkResult::Neighbour::rank);
        return all;
    }

    Comm& comm_;
    LocalView view_;
    const Opening& opening_;
    const CellMoments& moments_;
    Verdicts& verdicts_;
    DomainSummary of_leaf_, of_inner_;
    std::vector<RemoteNode> halves_;    // the halves of the inner node
    std::unique_ptr<Present> present_;  // the inner node first, then the leaf; null before and in between
};

}  // namespace

DomainWalkResult walk_domains(const Ranks& ranks, const DomainSummary& own, const Opening& opening,
                              const CellMoments& moments, Verdicts& verdicts) {
    return DomainWalk(ranks, opening, moments, verdicts).run(own);
}

}  // namespace trellis
