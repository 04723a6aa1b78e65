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
          depths_(nodes_.size(), 0) {
        for (std::size_t k = 0; k < nodes_.size(); ++k) {
            if (is_leaf(static_cast<int>(k))) continue;
            for (const int half : {nodes_[k].left, nodes_[k].right}) depths_[at(half)] = depths_[k] + 1;
            levels_ = std::max(levels_, depths_[k] + 1);
        }
        // From the root to this rank; its own nodes are the last of these.
        for (int node = 0;; node = half_with_me(node)) {
            if (nodes_[at(node)].first == comm_.rank()) path_.push_back(node);
            if (is_leaf(node)) break;
        }
    }

    Surroundings run(const DomainSummary& own) {
        go_up(own);
        if (path_[0] == 0) begin({}, {});
        for (int depth = 0; depth < levels_; ++depth) go_down(depth);
        Surroundings all{std::move(far_), {}};
        for (Met& met : undecided_) all.near.push_back({nodes_[at(met.node)].first, std::move(met.summary)});
        std::ranges::sort(all.near, {}, &Surroundings::Neighbour::rank);
        return all;
    }

  private:
    static std::size_t at(int node) { return static_cast<std::size_t>(node); }
    bool is_leaf(int node) const { return nodes_[at(node)].left < 0; }
    int owner(int node) const { return nodes_[at(node)].first; }
    int half_with_me(int node) const {
        const int right = nodes_[at(node)].right;
        return comm_.rank() < nodes_[at(right)].first ? nodes_[at(node)].left : right;
    }

    // Summaries of this rank's nodes, and of the halves that others gave.
    void go_up(const DomainSummary& own) {
        summaries_.assign(path_.size(), own);
        others_.resize(path_.size());
        for (std::size_t k = path_.size() - 1; k-- > 0;) {
            const auto bytes = comm_.receive(owner(nodes_[at(path_[k])].right));
            ByteReader in(bytes);
            others_[k] = DomainSummary::read(in);
            summaries_[k] = join(summaries_[k + 1], others_[k], opening_, moments_);
        }
        if (path_[0] == 0) return;
        ByteWriter out;
        summaries_[0].write(out);
        comm_.send(parent_of_first(), out.take());
    }

    // The rank of the node around this rank's first one.
    int parent_of_first() const {
        int node = 0;
        while (half_with_me(node) != path_[0]) node = half_with_me(node);
        return owner(node);
    }

    // Takes over for this rank's next node: far from what is around it, and what its halves have met.
    void begin(std::vector<DomainSummary> far, std::vector<Met> met) {
        far_ = std::move(far);
        judge(std::move(met));
    }

    // Sorts what the present node has met into far and undecided.
    void judge(std::vector<Met> met) {
        const DomainSummary& own = summaries_[now_];
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

    // The nodes of one level divide, this rank's among them if it has one.
    void go_down(int depth) {
        const bool mine = begun() && depths_[at(path_[now_])] == depth && !is_leaf(path_[now_]);
        std::vector<Met> met = meet_halves(mine);
        if (mine) {
            pass_on_to_right_half(met);
            undecided_.clear();
            met.push_back({nodes_[at(path_[now_])].right, others_[now_]});
            ++now_;
        }
        if (begun()) judge(std::move(met));
        if (!begun() && depths_[at(path_[0])] == depth + 1) {
            const auto bytes = comm_.receive(parent_of_first());
            receive_begin(bytes);
        }
    }

    bool begun() const { return begun_ || path_[0] == 0; }

    // Sends the halves of this rank's node to those it has not been decided with. What is met on the next level: halves of those that have any, and,
    // if the present node divides, those that have none.
    std::vector<Met> meet_halves(bool mine) {
        std::vector<Message> messages;
        if (mine) {
            ByteWriter out;
            Met{nodes_[at(path_[now_])].left, summaries_[now_ + 1]}.write(out);
            Met{nodes_[at(path_[now_])].right, others_[now_]}.write(out);
            const auto halves = out.take();
            for (const Met& other : undecided_) messages.push_back({owner(other.node), halves});
        }
        std::vector<Met> met;
        for (const Message& message : comm_.begin_exchange(std::move(messages))->finish()) {
            ByteReader in(message.bytes);
            while (!in.at_end()) met.push_back(Met::read(in));
        }
        const auto whole = [&](const Met& other) { return is_leaf(other.node); };
        if (mine) std::ranges::copy_if(undecided_, std::back_inserter(met), whole);
        std::erase_if(undecided_, [&](const Met& other) { return !whole(other); });
        return met;
    }

    void pass_on_to_right_half(const std::vector<Met>& met) {
        ByteWriter out;
        out.put(std::uint64_t{far_.size()});
        for (const DomainSummary& summary : far_) summary.write(out);
        for (const Met& other : met) other.write(out);
        Met{nodes_[at(path_[now_])].left, summaries_[now_ + 1]}.write(out);
        comm_.send(owner(nodes_[at(path_[now_])].right), out.take());
    }

    void receive_begin(std::span<const std::byte> bytes) {
        ByteReader in(bytes);
        std::vector<DomainSummary> far(in.get<std::uint64_t>());
        for (DomainSummary& summary : far) summary = DomainSummary::read(in);
        std::vector<Met> met;
        while (!in.at_end()) met.push_back(Met::read(in));
        begun_ = true;
        begin(std::move(far), std::move(met));
    }

    Comm& comm_;
    const std::vector<DomainNode>& nodes_;
    const Opening& opening_;
    const CellMoments& moments_;
    Verdicts& verdicts_;
    std::vector<int> depths_;                        // of each node
    int levels_ = 0;                                 // that divide
    std::vector<int> path_;                          // this rank's nodes, from the largest to itself
    std::vector<DomainSummary> summaries_, others_;  // of each of these, and of its right half
    std::size_t now_ = 0;                            // the present node, in path_
    bool begun_ = false;
    std::vector<DomainSummary> far_;
    std::vector<Met> undecided_;
};

}  // namespace

Surroundings walk_domains(const Ranks& ranks, const DomainSummary& own, const Opening& opening,
                          const CellMoments& moments, Verdicts& verdicts) {
    return DomainWalk(ranks, opening, moments, verdicts).run(own);
}

}  // namespace trellis
