// Messages of ranks before they exchange essential trees, up to more ranks than there can be threads: the domains are
// real, cut from some particles per rank, and the walk over the tree of domains (lists/essential/domain_walk.cpp) is
// followed for some ranks, one after the other. Where ranks can be threads, their messages are compared with the
// counts.
#include <algorithm>
#include <cmath>

#include "shared/models.hpp"
#include "shared/options.hpp"
#include "shared/report.hpp"
#include "trellis/lists/essential/domain_walk.hpp"
#include "trellis/lists/walk/walk_table.hpp"
#include "trellis/ranks/comm/thread_ranks.hpp"
#include "trellis/ranks/domain/cuts.hpp"

using namespace bench;
using trellis::DomainNode;
using trellis::DomainSummary;

namespace {

const trellis::NoCellMoments no_moments;  // monopoles, as in the paper

std::size_t at(int index) { return static_cast<std::size_t>(index); }

std::size_t bytes_of(const DomainSummary& summary) {
    trellis::ByteWriter out;
    summary.write(out);
    return out.size();
}

// The nodes of the tree of domains and their summaries.
struct Domains {
    std::vector<DomainNode> nodes;
    trellis::Opening opening;
    std::vector<DomainSummary> summaries;
    std::vector<int> parents;      // -1 for the root
    std::vector<int> leaf, inner;  // the nodes of each rank, -1 where it has no inner node

    Domains(const trellis::Shape& shape, double theta)
        : nodes(trellis::domain_tree(shape)),
          opening{.theta = theta},
          summaries(nodes.size()),
          parents(nodes.size(), -1),
          leaf(at(shape.ranks), -1),
          inner(at(shape.ranks), -1) {
        for (int node = 0; at(node) < nodes.size(); ++node) {
            const auto [owner, left, right] = nodes[at(node)];
            (divides(node) ? inner : leaf)[at(owner)] = node;
            if (divides(node)) parents[at(left)] = parents[at(right)] = node;
        }
    }

    bool divides(int node) const { return nodes[at(node)].left >= 0; }
    bool far(int a, int b) const {
        return acts_as_whole(summaries[at(a)], summaries[at(b)], opening) &&
               acts_as_whole(summaries[at(b)], summaries[at(a)], opening);
    }
};

DomainSummary summary_of(std::vector<Vec3<double>> positions, double mass, const trellis::Opening& opening) {
    DomainSummary summary;
    summary.count = positions.size();
    summary.tolerance = trellis::any_error;
    summary.sums = {mass * static_cast<double>(positions.size())};
    if (summary.empty()) return summary;
    const trellis::Cell all{0, static_cast<std::uint32_t>(positions.size()), 0, 0};
    summary.contents = contents_of_leaf(all, [&](auto k) { return positions[k]; }, [&](auto) { return mass; });
    const auto& [sphere, bounds, weight] = summary.contents;
    summary.size = trellis::size_for_particles(largest(bounds.high - bounds.low), sphere.radius, opening.theta).size;
    return summary;
}

Domains domains_of(const std::string& model, int ranks, std::size_t particles_of_each, double theta) {
    Positions positions(model);
    std::vector<trellis::Sample> samples(at(ranks) * particles_of_each);
    for (trellis::Sample& sample : samples) sample = {positions.next(), 1};
    const trellis::Shape shape = trellis::best_shape(ranks, trellis::spread(samples));
    const trellis::Multisection cuts = trellis::cut(samples, shape, {});
    std::vector<std::vector<Vec3<double>>> owned(at(ranks));
    for (const trellis::Sample& sample : samples) owned[at(cuts.owner(sample.position))].push_back(sample.position);
    Domains all(shape, theta);
    const double mass = 1 / static_cast<double>(samples.size());
    for (std::size_t node = all.nodes.size(); node-- > 0;) {
        const auto [owner, left, right] = all.nodes[node];
        all.summaries[node] = left < 0
                                  ? summary_of(std::move(owned[at(owner)]), mass, all.opening)
                                  : join(all.summaries[at(left)], all.summaries[at(right)], all.opening, no_moments);
    }
    return all;
}

// Distant cells and near ranks that a rank receives, and the messages and bytes that it sends meanwhile.
struct Counts {
    double far = 0, near = 0, messages = 0, bytes = 0;
    bool operator==(const Counts&) const = default;
};

// Result of a node's walk, when it divides or, for the leaf of a rank, at the end. far: nodes that act as wholes;
// undecided: leaves to divide it against; next: nodes that its halves are tested against.
struct Tested {
    double far = 0;
    std::vector<int> undecided, next;
};

// The walk of lists/essential/domain_walk.cpp for one node, with all summaries at hand.
Tested walk(const Domains& domains, int node) {
    std::vector<int> path;
    for (int k = node; k >= 0; k = domains.parents[at(k)]) path.push_back(k);
    Tested tested;
    for (;;) {
        const int own = path.back();
        for (const int other : tested.next)
            domains.far(other, own) ? void(++tested.far) : tested.undecided.push_back(other);
        tested.next.clear();
        std::vector<int> whole;
        for (const int other : tested.undecided) {
            const auto [owner, left, right] = domains.nodes[at(other)];
            if (domains.divides(other))
                tested.next.insert(tested.next.end(), {left, right});
            else
                (domains.divides(own) ? tested.next : whole).push_back(other);
        }
        if (own == node && (domains.divides(own) || tested.next.empty())) return tested;
        tested.undecided = std::move(whole);
        if (own == node) continue;
        path.pop_back();
        const auto [owner, left, right] = domains.nodes[at(own)];
        tested.next.push_back(path.back() == left ? right : left);
    }
}

Counts by_domain_tree(const Domains& domains, int rank) {
    const double summary = static_cast<double>(bytes_of(domains.summaries[0])), listed_node = summary + sizeof(int);
    const int leaf = domains.leaf[at(rank)], inner = domains.inner[at(rank)];
    const auto owner = [&](int node) { return domains.nodes[at(node)].owner; };
    Counts counts;
    const auto send = [&](int node, double bytes) {  // to the owner of the node
        if (node < 0 || owner(node) == rank) return;
        ++counts.messages;
        counts.bytes += bytes;
    };
    const Tested tested = walk(domains, leaf);
    counts.far = tested.far;
    counts.near = static_cast<double>(tested.undecided.size());
    send(domains.parents[at(leaf)], summary);
    if (inner < 0) return counts;
    send(domains.parents[at(inner)], summary);
    const Tested halved = walk(domains, inner);
    for (const int other : halved.undecided) send(other, 2 * listed_node);
    const auto handed_over = halved.far * summary + static_cast<double>(halved.next.size() + 1) * listed_node;
    send(domains.nodes[at(inner)].left, sizeof(std::uint64_t) + handed_over);
    send(domains.nodes[at(inner)].right, sizeof(std::uint64_t) + handed_over);
    return counts;
}

Counts by_all_gather(const Domains& domains, int rank) {
    Counts counts;
    const DomainSummary& own = domains.summaries[at(domains.leaf[at(rank)])];
    for (const int leaf : domains.leaf) {
        if (leaf == domains.leaf[at(rank)]) continue;
        acts_as_whole(own, domains.summaries[at(leaf)], domains.opening) ? ++counts.far : ++counts.near;
    }
    counts.messages = static_cast<double>(domains.leaf.size() - 1);
    counts.bytes = counts.messages * static_cast<double>(bytes_of(own));
    return counts;
}

// Checks the counts against ranks that are threads; throws RunError if they differ.
void check_by_walk_domains(const Domains& domains, int ranks) {
    trellis::run_ranks(ranks, [&](trellis::Comm& comm) {
        const int leaf = domains.leaf[at(comm.rank())];
        trellis::Verdicts verdicts;
        const auto found = walk_domains({{&comm, [](trellis::Comm*) {}}, domains.nodes}, domains.summaries[at(leaf)],
                                        domains.opening, no_moments, verdicts);
        const trellis::Traffic& sent = comm.traffic();
        const Counts counts{static_cast<double>(found.far.size()), static_cast<double>(found.near.size()),
                            static_cast<double>(sent.messages), static_cast<double>(sent.bytes)};
        if (counts != by_domain_tree(domains, comm.rank()))
            throw trellis::RunError("rank " + std::to_string(comm.rank()) + " of " + std::to_string(ranks) +
                                    " has received or sent other numbers than were counted");
    });
}

void add_mean_and_most(std::vector<std::string>& row, const std::vector<Counts>& all, double Counts::* what,
                       double unit) {
    double sum = 0, most = 0;
    for (const Counts& one : all) sum += one.*what, most = std::max(most, one.*what);
    row.push_back(text("%.4g", sum / static_cast<double>(all.size()) / unit));
    row.push_back(text("%.4g", most / unit));
}

void add_row(const Table& table, const std::string& title, const std::vector<Counts>& all) {
    std::vector<std::string> row = {title};
    for (const auto what : {&Counts::far, &Counts::near, &Counts::messages}) add_mean_and_most(row, all, what, 1);
    add_mean_and_most(row, all, &Counts::bytes, 1e3);
    table.row(row);
}

}  // namespace

int main(int argc, char** argv) {
    const std::vector<Option> options = {{"model", "cube,plummer", "initial conditions"},
                                         {"ranks", "8,64,512,4096,32768,100000", "numbers of ranks"},
                                         {"particles", "32", "particles of each rank"},
                                         {"theta", "0.5", "opening angle"},
                                         {"follow", "64", "number of ranks that are followed, the first among them"},
                                         {"threads", "512", "largest number of ranks that are checked by threads"}};
    return run(argc, argv, options, [](const Options& given) {
        print_header("Domains that ranks exchange",
                     "Monopoles, geometric criterion. Of a rank, on average and at most: cells that stand for others, "
                     "ranks to exchange essential trees with, messages and kilobytes sent.");
        const Table table(
            {"model, ranks, how", "far", "at most", "near", "at most", "messages", "at most", "kB", "at most"});
        for (const std::string& model : given.texts("model"))
            for (const int ranks : given.integers<int>("ranks")) {
                const Domains domains =
                    domains_of(model, ranks, given.integer("particles"), given.numbers("theta").at(0));
                if (ranks <= static_cast<int>(given.integer("threads"))) check_by_walk_domains(domains, ranks);
                const int followed = std::min(ranks, static_cast<int>(given.integer("follow")));
                std::vector<Counts> gathered, walked;
                for (int k = 0; k < followed; ++k) {
                    // the first rank, and others spread over all
                    const int rank = followed == ranks ? k : static_cast<int>(std::fmod(0.618034 * k, 1) * ranks);
                    gathered.push_back(by_all_gather(domains, rank));
                    walked.push_back(by_domain_tree(domains, rank));
                }
                const std::string start = text("%s, %d, ", model.c_str(), ranks);
                add_row(table, start + "all gather", gathered);
                add_row(table, start + "tree of domains", walked);
            }
    });
}
