#include "trellis/lists/domain_walk.hpp"

#include <algorithm>

namespace trellis {

namespace {

using Verdict = Verdicts::Verdict;

// A node that another one has met.
struct Met {
    int node;
    DomainSummary summary;

    void write(ByteWriter& out) const {
        out.put(node);
        summary.write(out);
    }
    static Met read(ByteReader& in) {
        const int node = in.get<int>();
        return {node, DomainSummary::read(in)};
    }
};

class DomainWalk {
  public:
    DomainWalk(const Ranks& ranks, const Opening& opening, const CellMoments& moments, Verdicts& verdicts)
        : comm_(*ranks.comm),
          nodes_(ranks.domains),
          opening_(opening),
          moments_(moments),
          verdicts_(verdicts),
          parents_(nodes_.size(), -1),
          depths_(nodes_.size(), 0) {
        for (int node = 0; node < static_cast<int>(nodes_.size()); ++node) {
            if (owner(node) == comm_.rank()) (is_leaf(node) ? leaf_ : inner_) = node;
            if (is_leaf(node)) continue;
            for (const int half : {at(node).left, at(node).right}) {
                parents_[index(half)] = node;
                depths_[index(half)] = depths_[index(node)] + 1;
            }
            levels_ = std::max(levels_, depth_of(node) + 1);
        }
    }

    Surroundings run(const DomainSummary& own) {
        go_up(own);
        if (owner(0) == comm_.rank()) begin(0, {}, {});
        for (int depth = 0; depth < levels_; ++depth) go_down(depth);
        Surroundings all{std::move(far_), {}};
        for (Met& met : undecided_) all.near.push_back({owner(met.node), std::move(met.summary)});
        std::ranges::sort(all.near, {}, &Surroundings::Neighbour::rank);
        return all;
    }

  private:
    static std::size_t index(int node) { return static_cast<std::size_t>(node); }
    const DomainNode& at(int node) const { return nodes_[index(node)]; }
    int owner(int node) const { return at(node).owner; }
    bool is_leaf(int node) const { return at(node).left < 0; }
    int depth_of(int node) const { return depths_[index(node)]; }

    // Summaries of this rank's nodes and of their halves.
    void go_up(const DomainSummary& own) {
        own_ = own;
        tell_parent(leaf_, own_);
        if (inner_ < 0) return;
        for (const int half : {at(inner_).left, at(inner_).right})
            halves_.push_back({half, half == leaf_ ? own_ : receive_summary(owner(half))});
        whole_ = join(halves_[0].summary, halves_[1].summary, opening_, moments_);
        tell_parent(inner_, whole_);
    }
    void tell_parent(int node, const DomainSummary& summary) {
        const int parent = parents_[index(node)];
        if (parent < 0 || owner(parent) == comm_.rank()) return;
        ByteWriter out;
        summary.write(out);
        comm_.send(owner(parent), out.take());
    }
    DomainSummary receive_summary(int from) {
        const auto bytes = comm_.receive(from);
        ByteReader in(bytes);
        return DomainSummary::read(in);
    }

    // Now this node is the rank's present one: far from what is around it, and what its whole has met in halves, is known.
    void begin(int node, std::vector<DomainSummary> far, std::vector<Met> met) {
        now_ = node;
        far_ = std::move(far);
        undecided_.clear();
        judge(std::move(met));
    }

    // Sorts what the present node has met into far and undecided.
    void judge(std::vector<Met> met) {
        const DomainSummary& own = now_ == leaf_ ? own_ : whole_;
        for (Met& other : met) {
            const Verdict verdict = verdicts_.of([&] {
                if (own.empty() || other.summary.empty()) return Verdict::nothing;
                return acts_as_whole(other.summary, own, opening_) && acts_as_whole(own, other.summary, opening_)
                           ? Verdict::far
                           : Verdict::undecided;
            });
            if (verdict == Verdict::far) far_.push_back(std::move(other.summary));
            if (verdict == Verdict::undecided) undecided_.push_back(std::move(other));
        }
    }

    // The nodes of one level divide, this rank's present one among them if it is there.
    void go_down(int depth) {
        const bool divides = now_ >= 0 && now_ == inner_ && depth_of(now_) == depth;
        std::vector<Met> met = meet_halves(divides);
        if (divides) {
            hand_over(met);
        } else if (now_ == leaf_) {
            judge(std::move(met));
        }
        for (const int node : {inner_, leaf_})
            if (node > 0 && depth_of(node) == depth + 1 && owner(parents_[index(node)]) != comm_.rank())
                take_over(node, comm_.receive(owner(parents_[index(node)])));
    }

    // Sends the halves of this rank's node to those it has not been decided with. What is met on the next level: halves of those that have any, and,
    // if the present node divides, those that have none.
    std::vector<Met> meet_halves(bool divides) {
        std::vector<Message> messages;
        if (divides) {
            ByteWriter out;
            for (const Met& half : halves_) half.write(out);
            const auto bytes = out.take();
            for (const Met& other : undecided_) messages.push_back({owner(other.node), bytes});
        }
        std::vector<Met> met;
        for (const Message& message : comm_.begin_exchange(std::move(messages))->finish()) {
            ByteReader in(message.bytes);
            while (!in.at_end()) met.push_back(Met::read(in));
        }
        const auto whole = [&](const Met& other) { return is_leaf(other.node); };
        if (divides) std::ranges::copy_if(undecided_, std::back_inserter(met), whole);
        std::erase_if(undecided_, [&](const Met& other) { return !whole(other); });
        return met;
    }

    // Each half learns what is far from its whole, what has been met, and the other half.
    void hand_over(const std::vector<Met>& met) {
        const auto far = std::move(far_);
        undecided_.clear();
        now_ = -1;
        for (const std::size_t half : {0, 1}) {
            std::vector<Met> all = met;
            all.push_back(halves_[1 - half]);
            if (halves_[half].node == leaf_) {
                begin(leaf_, far, std::move(all));
                continue;
            }
            ByteWriter out;
            out.put(std::uint64_t{far.size()});
            for (const DomainSummary& summary : far) summary.write(out);
            for (const Met& other : all) other.write(out);
            comm_.send(owner(halves_[half].node), out.take());
        }
    }

    void take_over(int node, std::span<const std::byte> bytes) {
        ByteReader in(bytes);
        std::vector<DomainSummary> far(in.get<std::uint64_t>());
        for (DomainSummary& summary : far) summary = DomainSummary::read(in);
        std::vector<Met> met;
        while (!in.at_end()) met.push_back(Met::read(in));
        begin(node, std::move(far), std::move(met));
    }

    Comm& comm_;
    const std::vector<DomainNode>& nodes_;
    const Opening& opening_;
    const CellMoments& moments_;
    Verdicts& verdicts_;
    std::vector<int> parents_, depths_;  // of each node
    int levels_ = 0;                     // that divide
    int leaf_ = -1, inner_ = -1;         // this rank's nodes; the second may be missing
    DomainSummary own_, whole_;          // of these
    std::vector<Met> halves_;            // of the second
    int now_ = -1;                       // the present one of the two: the larger first
    std::vector<DomainSummary> far_;
    std::vector<Met> undecided_;
};

}  // namespace

Surroundings walk_domains(const Ranks& ranks, const DomainSummary& own, const Opening& opening,
                          const CellMoments& moments, Verdicts& verdicts) {
    return DomainWalk(ranks, opening, moments, verdicts).run(own);
}

}  // namespace trellis
