#include "trellis/lists/essential/essential_exchange.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "trellis/base/parallel.hpp"
#include "trellis/lists/essential/essential_values.hpp"
#include "trellis/lists/walk/walk_table.hpp"
#include "trellis/ranks/comm/collective.hpp"
#include "trellis/ranks/comm/traffic_scope.hpp"

namespace trellis {

namespace {

void write_shape(const EssentialShape& shape, ByteWriter& out) {
    out.put_counted(std::span<const CellKind>(shape.kinds));
    out.put_counted(std::span<const std::uint32_t>(shape.leaf_counts));
    out.put_counted(std::span<const double>(shape.sizes));
}

EssentialShape read_shape(ByteReader& in) {
    EssentialShape shape;
    shape.kinds = in.get_counted<CellKind>();
    shape.leaf_counts = in.get_counted<std::uint32_t>();
    shape.sizes = in.get_counted<double>();
    return shape;
}

// The shape of one closed cell.
EssentialShape shape_of(const DomainSummary& summary, const Opening& opening) {
    EssentialShape shape{{CellKind::closed}, {}, {}};
    if (opening.receiver == Receiver::particle) shape.sizes.push_back(summary.size);
    return shape;
}

}  // namespace

void EssentialExchange::begin(const Ranks& ranks, const ListedTree& listed, const CellMoments& moments,
                              Phases& phases) {
    constructing_ = true;
    verdicts_.begin_construction();
    {
        const PhaseTimer timer(phases, Phase::exchange_essential_trees);
        begin_between_sites(ranks, listed, moments);
        if (roots_) return;
        exchange_summaries(ranks, listed, moments);
    }
    const PhaseTimer timer(phases, Phase::construct_essential_trees);
    find_trees(listed, moments);
    send(*ranks.comm, listed, moments);
}

void EssentialExchange::begin_update(const Ranks& ranks, const ListedTree& listed, const CellMoments& moments,
                                     Phases& phases) {
    constructing_ = false;
    verdicts_.begin_reuse();
    const PhaseTimer timer(phases, Phase::exchange_essential_trees);
    begin_between_sites(ranks, listed, moments);
    if (!roots_) exchange_summaries(ranks, listed, moments);
    send(roots_ ? *for_trees_ : *ranks.comm, listed, moments);
}

void EssentialExchange::begin_between_sites(const Ranks& ranks, const ListedTree& listed, const CellMoments& moments) {
    Comm& comm = *ranks.comm;
    if (!comm.spans_sites()) return;
    if (all_ranks_ != ranks.comm) for_trees_ = comm.split(0);
    all_ranks_ = ranks.comm;
    local_ = &listed;
    local_moments_ = &moments;
    own_root_ = summary_of(listed, moments);
    ByteWriter out;
    own_root_.write(out);
    const TrafficScope part(comm, TrafficClass::roots);
    roots_ = comm.begin_all_gather(out.take());
}

void EssentialExchange::receive_roots() {
    const std::vector<std::byte> roots = joined_bytes(std::exchange(roots_, nullptr)->finish());
    classify_ranks(*all_ranks_, roots, own_root_, *local_);
    if (!constructing_) return;
    join_targets_of_sites(*all_ranks_, local_->opening(), *local_moments_);
    find_trees(*local_, *local_moments_);
    send(*for_trees_, *local_, *local_moments_);
}

// Finds the summaries of far ranks and, in a construction step, the ranks that need an essential tree.
void EssentialExchange::exchange_summaries(const Ranks& ranks, const ListedTree& listed, const CellMoments& moments) {
    const DomainSummary own = summary_of(listed, moments);
    if (by_domain_tree(*ranks.comm)) {
        DomainWalkResult all = walk_domains(ranks, own, listed.opening(), moments, verdicts_);
        far_ = std::move(all.far);
        if (!constructing_) return;
        targets_.clear();
        for (auto& near : all.near) targets_.push_back({{near.rank}, std::move(near.summary), {0, 0, 0}});
    } else if (scheme_ != LetScheme::all_to_all || constructing_) {
        ByteWriter out;
        own.write(out);
        const auto bytes = out.take();
        classify_ranks(*ranks.comm, ranks.comm->all_gather(bytes), own, listed);
    }
}

void EssentialExchange::classify_ranks(const Comm& comm, std::span<const std::byte> roots, const DomainSummary& own,
                                       const ListedTree& listed) {
    ByteReader in(roots);
    far_.clear();
    if (constructing_) {
        far_images_.clear();
        targets_.clear();
    }
    for (int rank = 0; rank < comm.size(); ++rank) {
        const DomainSummary other = DomainSummary::read(in);
        if (own.empty() || other.empty()) continue;
        for (std::size_t image = 0; image < images_.size(); ++image)
            if (rank != comm.rank() || (imports_own_ && image != 0))
                classify_image({rank, image}, own, other, listed.opening());
    }
}

// Both ranks of a pair decide from the same numbers whether one acts on the other as a whole, so that they agree.
void EssentialExchange::classify_image(const Image& image, const DomainSummary& own, const DomainSummary& other,
                                       const Opening& opening) {
    const bool whole = scheme_ != LetScheme::all_to_all;
    const Vec3<double> shift = images_[image.image];
    DomainSummary remote = moved(other, shift), local = moved(own, shift);
    if (constructing_ && whole && !beyond_cutoff(remote, own, opening) && acts_as_whole(remote, own, opening))
        far_images_.push_back(image);
    if (constructing_ && !beyond_cutoff(local, other, opening) && !(whole && acts_as_whole(local, other, opening)))
        targets_.push_back({{image.rank}, moved(other, -shift), shift});
    if (std::ranges::binary_search(far_images_, image)) far_.push_back(std::move(remote));
}

// Joins the targets on each other site: one tree holds the cells that any of its ranks needs, and travels there once.
void EssentialExchange::join_targets_of_sites(const Comm& comm, const Opening& opening, const CellMoments& moments) {
    const auto begins = comm.site_begins();
    const auto site_of = [&](int rank) { return std::ranges::upper_bound(begins, rank) - begins.begin(); };
    std::vector<LetTarget> joined;
    for (LetTarget& target : targets_) {
        const auto site = site_of(target.ranks.front());
        const auto same =
            site == site_of(comm.rank()) ? joined.end() : std::ranges::find_if(joined, [&](const LetTarget& other) {
                return site_of(other.ranks.front()) == site && other.shift == target.shift;
            });
        if (same == joined.end()) {
            joined.push_back(std::move(target));
        } else {
            same->summary = join(same->summary, target.summary, opening, moments);
            same->ranks.push_back(target.ranks.front());
        }
    }
    targets_ = std::move(joined);
}

void EssentialExchange::find_trees(const ListedTree& listed, const CellMoments& moments) {
    trees_.assign(targets_.size(), {});
    if (targets_.empty()) return;
    Workspace space;
    const WalkTable table(walk_cells(listed.tree(), listed.moments()), listed.sizes(), listed.tolerances(), space);
    const auto cells = listed.tree().cells();
    const std::uint32_t few = particles_like_a_closed_cell(listed, moments);
    parallel_tasks(targets_.size(), [&](std::size_t k, int) {
        EssentialTree& tree = trees_[k];
        tree = find_essential_tree(cells, table.candidates(), listed.opening(), target_of(targets_[k].summary), few);
        tree.shift = targets_[k].shift;
        if (listed.opening().receiver == Receiver::particle)
            for (const std::uint32_t cell : tree.cells) tree.shape.sizes.push_back(listed.sizes()[cell].size);
    });
}

void EssentialExchange::send(Comm& comm, const ListedTree& listed, const CellMoments& moments) {
    if (constructing_) sent_.clear();
    for (std::size_t k = sent_.size(); k < trees_.size() && digits_ > 0; ++k)
        sent_.emplace_back(trees_[k].shape, digits_);
    std::vector<std::vector<std::byte>> written(trees_.size());
    parallel_tasks(trees_.size(), [&](std::size_t k, int) {
        ByteWriter out;
        write_tree(k, listed, moments, out);
        written[k] = out.take();
    });
    const TrafficScope part(comm, TrafficClass::trees);
    exchange_ = comm.begin_exchange(messages_of(written));
}

// One message for each rank, with all of its trees.
std::vector<Message> EssentialExchange::messages_of(const std::vector<std::vector<std::byte>>& trees) const {
    std::map<int, ByteWriter> to_ranks;
    for (std::size_t k = 0; k < trees.size(); ++k)
        for (const int rank : targets_[k].ranks) to_ranks[rank].put_counted(std::span<const std::byte>(trees[k]));
    std::vector<Message> messages;
    messages.reserve(to_ranks.size());
    for (auto& [rank, out] : to_ranks) messages.push_back({rank, out.take()});
    return messages;
}

void EssentialExchange::write_tree(std::size_t k, const ListedTree& listed, const CellMoments& moments,
                                   ByteWriter& out) {
    if (digits_ > 0) {
        if (constructing_) write_compressed(trees_[k].shape, digits_, out);
        sent_[k].write(values_of(trees_[k], listed, moments), out);
    } else {
        if (constructing_) write_shape(trees_[k].shape, out);
        write_values(trees_[k], listed, moments, out);
    }
}

void EssentialExchange::read_tree(std::size_t k, const CellMoments& moments, ByteReader& in) {
    const ImportedTree& tree = imported_trees_[far_.size() + k];
    if (digits_ > 0) {
        TreeValues values = room_for(tree, imported_, moments);
        received_[k].read(in, values);
        put_values(values, tree, imported_);
    } else {
        read_values(in, tree, imported_);
    }
}

bool EssentialExchange::progress() {
    if (roots_ && roots_->progress()) receive_roots();
    return roots_ == nullptr && (exchange_ == nullptr || exchange_->progress());
}

const ImportedCells& EssentialExchange::finish(const ListedTree& listed, const CellMoments& moments, Phases& phases) {
    const PhaseTimer timer(phases, Phase::exchange_essential_trees);
    if (roots_) receive_roots();
    const std::vector<Message> messages = exchange_->finish();
    exchange_.reset();
    std::vector<ByteReader> readers;  // one for each tree
    for (const Message& message : messages)
        for (ByteReader all(message.bytes); !all.at_end();) readers.emplace_back(all.get_part());
    if (constructing_) make_imported_of(readers, listed, moments);
    for (std::size_t k = 0; k < far_.size(); ++k) take_values(far_[k], imported_trees_[k], imported_);
    parallel_tasks(readers.size(), [&](std::size_t k, int) { read_tree(k, moments, readers[k]); });
    return imported_;
}

void EssentialExchange::drop() {
    trees_ = {};
    sent_ = {};
    imported_trees_ = {};
    received_ = {};
    imported_ = {};
}

void EssentialExchange::make_imported_of(std::vector<ByteReader>& readers, const ListedTree& listed,
                                         const CellMoments& moments) {
    std::vector<EssentialShape> shapes;
    shapes.reserve(far_.size() + readers.size());
    for (const DomainSummary& far : far_) shapes.push_back(shape_of(far, listed.opening()));
    received_.clear();
    for (ByteReader& in : readers) {
        shapes.push_back(digits_ > 0 ? read_compressed_shape(in, digits_) : read_shape(in));
        if (digits_ > 0) received_.emplace_back(shapes.back(), digits_);
    }
    imported_ = make_imported_cells(shapes, listed.source_components(), moments.bytes(), imported_trees_,
                                    listed.softening().has_value());
}

}  // namespace trellis
