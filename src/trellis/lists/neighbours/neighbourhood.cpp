#include "trellis/lists/neighbours/neighbourhood.hpp"

#include <algorithm>

#include "trellis/base/parallel.hpp"
#include "trellis/lists/neighbours/masked_entries.hpp"
#include "trellis/ranks/comm/collective.hpp"

namespace trellis {

using namespace fields;

namespace {

// Large groups stage fewer j-particles for each of theirs, but there must be enough of them for all threads.
std::uint32_t chosen_group_size(std::size_t particles, bool small) {
    if (particles < 16'384) return 128;
    return particles < 131'072 || small ? 256 : 512;
}

// A flag for each block of slots.
class BlockFlags {
  public:
    explicit BlockFlags(std::size_t slots) : slots_(slots), flags_((slots + block - 1) / block) {}

    // Flags the blocks that hold these slots, but for those of ghosts, which come last.
    void note(std::size_t first, std::size_t end) {
        for (std::size_t b = first / block; b * block < std::min(end, slots_); ++b) flags_[b] = 1;
    }
    void join(const BlockFlags& others) {
        for (std::size_t b = 0; b < flags_.size(); ++b) flags_[b] |= others.flags_[b];
    }
    std::vector<std::uint32_t> numbers() const {
        std::vector<std::uint32_t> flagged;
        for (std::uint32_t b = 0; b < flags_.size(); ++b)
            if (flags_[b] != 0) flagged.push_back(b);
        return flagged;
    }

  private:
    static constexpr std::size_t block = SortedColumns::block_slots;
    std::size_t slots_;
    std::vector<std::uint8_t> flags_;
};

}  // namespace

Neighbourhood::Neighbourhood(Search search, double skin, std::uint32_t group_size,
                             std::shared_ptr<const Exclusions> exclusions)
    : search_(search), skin_(skin), group_size_(group_size), exclusions_(std::move(exclusions)) {}

void Neighbourhood::build(const ParticleSet& particles, std::string_view positions, const Radii& radii,
                          const Ranks* ranks, Phases& phases, std::span<const std::uint8_t> rows) {
    arrange(particles, positions, radii, ranks, phases);
    if (exclusions_ != nullptr) return make_lists(particles.region(), phases);
    lists_.begin(list_search(), particles.region(), &clusters_);
    add_lists(rows, phases);
}

void Neighbourhood::add_lists(std::span<const std::uint8_t> rows, Phases& phases) {
    std::vector<std::uint8_t> groups;
    flag_groups(rows, groups);
    lists_.add(list_search(), groups, phases, &clusters_);
}

void Neighbourhood::renew(const ParticleSet& particles, const Radii& radii, Phases& phases,
                          std::span<const std::uint8_t> rows) {
    {
        const PhaseTimer timer(phases, Phase::make_interaction_list);
        tree_.move(particles[position], radii);
        lists_.begin(list_search(), particles.region(), &clusters_);
    }
    add_lists(rows, phases);
}

void Neighbourhood::arrange(const ParticleSet& particles, std::string_view positions, const Radii& radii,
                            const Ranks* ranks, Phases& phases) {
    ranks_ = ranks;
    pruned_.in_use = pruned_.of_construction = false;
    const auto* values = reinterpret_cast<const Vec3<double>*>(particles.column(positions).values());
    const std::uint32_t group_size = group_size_ > 0 ? group_size_ : chosen_group_size(particles.size(), small_groups_);
    tree_.build({values, particles.size()}, radii, group_size, phases);
    if (exclusions_ != nullptr) note_ids(particles);
    if (ranks_ == nullptr) {
        ghost_tree_ = {};  // earlier lists may have had some
    } else {
        const PhaseTimer timer(phases, Phase::exchange_essential_trees);
        ghosts_.find(*ranks_->comm, tree_, search_, skin_, particles.region(), ids_);
        Phases counted_as_exchange;
        ghost_tree_.build(ghosts_.positions(), Radii(ghosts_.radii()), group_size, counted_as_exchange);
        if (exclusions_ != nullptr)
            for (const std::uint32_t ghost : ghost_tree_.order()) ids_.push_back(ghosts_.ids()[ghost]);
    }
}

void Neighbourhood::note_ids(const ParticleSet& particles) {
    const auto ids = particles[id];
    const auto order = tree_.order();
    ids_.resize(order.size());
    parallel_for(order.size(), [&](std::size_t slot) { ids_[slot] = ids[order[slot]]; });
}

void Neighbourhood::mask_clusters() const {
    if (exclusions_ != nullptr) mask_entries(*exclusions_, ids_, lists_, clusters_);
}

void Neighbourhood::make_lists(const Region& region, Phases& phases) {
    lists_.make(tree_, ghost_tree_, search_, skin_, region, phases, &clusters_);
    const PhaseTimer timer(phases, Phase::make_interaction_list);
    mask_clusters();
}

const ClusterLists& Neighbourhood::clusters(Phases& phases) const {
    if (pruned()) return pruned_clusters_;
    if (clusters_.made_of() == lists_.number()) return clusters_;
    clusters_.make(lists_, tree_, ghost_tree_, search_, skin_, phases);
    mask_clusters();
    return clusters_;
}

std::vector<GroupBlocks> Neighbourhood::masked_blocks(Phases& phases) const {
    if (exclusions_ == nullptr) return {};
    const PhaseTimer timer(phases, Phase::make_interaction_list);
    return trellis::masked_blocks(*exclusions_, ids_, lists_);
}

bool Neighbourhood::holds(const ParticleSet& particles, const Radii& radii, Phases& phases,
                          std::span<const std::uint8_t> rows) const {
    const PhaseTimer timer(phases, Phase::check_lists);
    return holds(displacements(particles, radii), particles.region(), rows);
}

DisplacementCheck Neighbourhood::displacements(const ParticleSet& particles, const Radii& radii, double widened) const {
    if (pruned()) return {pruned_.tree, particles[position], radii, pruned_.skin, widened};
    return {tree_, particles[position], radii, skin_, widened};
}

bool Neighbourhood::pruned_suit(const Radii& radii, Phases& phases) const {
    const PhaseTimer timer(phases, Phase::check_lists);
    const auto order = tree_.order();
    const auto noted = pruned_.tree.radii();
    const auto suit = [&](std::size_t begin, std::size_t end) {
        bool all = true;
        for (std::size_t slot = begin; slot < end; ++slot)
            all &= radii[order[slot]] <= (1 + pruned_.skin) * noted[slot];
        return all;
    };
    const bool here = parallel_reduce(order.size(), true, suit, [](bool a, bool b) { return a && b; });
    return ranks_ == nullptr ? here : !any_rank(*ranks_->comm, !here);
}

bool Neighbourhood::may_be_pruned(const ParticleSet& particles, const Radii& radii, double skin, Phases& phases) const {
    const PhaseTimer timer(phases, Phase::check_lists);
    return holds(DisplacementCheck(tree_, particles[position], radii, skin_, 1 + skin), particles.region(), {});
}

void Neighbourhood::prune(const ParticleSet& particles, std::string_view positions, const Radii& radii, double skin,
                          Phases& phases) {
    pruned_.in_use = false;
    clusters(phases);  // there are some
    if (!pruned_.of_construction) {
        pruned_.tree = tree_;
        pruned_.ghost_tree = ghost_tree_;
    }
    const auto* values = reinterpret_cast<const Vec3<double>*>(particles.column(positions).values());
    pruned_.tree.move({values, particles.size()}, radii);
    if (ranks_ != nullptr && radii.constant()) {
        const PhaseTimer timer(phases, Phase::exchange_essential_trees);
        pruned_.ghost_tree.move(ghost_positions(particles, positions), Radii(ghosts_.radii()));
    }
    pruned_.skin = skin;
    pruned_.in_use = pruned_.of_construction = true;
    const Search search = radii.constant() ? Search::gather : search_;
    pruned_clusters_.prune(clusters_, lists_, pruned_.tree, pruned_.ghost_tree, search, skin, phases);
}

// The positions at which ghosts act now, in the order of Ghosts::positions.
std::vector<Vec3<double>> Neighbourhood::ghost_positions(const ParticleSet& particles,
                                                         std::string_view positions) const {
    SortedColumns columns;
    const FieldInfo field = particles.column(positions).info();
    columns.gather(particles, {&field, 1}, tree_.order());
    const auto exchange = ghosts_.begin(*ranks_->comm, columns, 3);
    const auto values = Ghosts::finish(*exchange, 3);
    std::vector<Vec3<double>> at(values[0].size());
    for (std::size_t ghost = 0; ghost < at.size(); ++ghost)
        at[ghost] = {values[0][ghost], values[1][ghost], values[2][ghost]};
    return at;
}

void Neighbourhood::update(DisplacementCheck& check, const ParticleSet& particles, const Radii& radii,
                           std::span<const std::uint8_t> rows) const {
    std::vector<std::uint8_t> groups;
    flag_groups(rows, groups);
    check.update(particles[position], radii, groups);
}

bool Neighbourhood::holds(const DisplacementCheck& check, const Region& region,
                          std::span<const std::uint8_t> rows) const {
    std::vector<std::uint8_t> groups;
    flag_groups(rows, groups);
    if (ranks_ == nullptr) return size() == 0 || !check.suspected(region, {}, groups);
    Comm& comm = *ranks_->comm;
    const auto everywhere = all_gather(comm, check.moved(groups));
    std::vector<MovedRank> elsewhere;
    for (int rank = 0; rank < comm.size(); ++rank)
        if (const MovedRank& remote = everywhere[static_cast<std::size_t>(rank)]; remote.any && rank != comm.rank())
            elsewhere.push_back(remote);
    return !any_rank(comm, size() > 0 && check.suspected(region, elsewhere, groups));
}

bool Neighbourhood::lists_ghosts(std::size_t group) const {
    const auto& ranges = lists_.groups()[group].ranges;
    return !ranges.empty() && ranges.back().first >= tree_.size();  // ghosts come last
}

void Neighbourhood::flag_groups(std::span<const std::uint8_t> rows, std::vector<std::uint8_t>& groups) const {
    groups.clear();
    if (rows.empty()) return;
    const auto all = lists_.groups();
    const auto order = tree_.order();
    groups.resize(all.size());
    parallel_for(all.size(), [&](std::size_t g) {
        const auto of_group = order.subspan(all[g].first, all[g].count);
        groups[g] = std::ranges::any_of(of_group, [&](std::uint32_t row) { return rows[row] != 0; }) ? 1 : 0;
    });
}

void Neighbourhood::select(std::span<const std::uint8_t> rows, NeighbourSelection& selection) const {
    selection.rows = rows;
    flag_groups(rows, selection.groups);
    BlockFlags own(size()), read(size());
    const auto groups = lists_.groups();
    for (std::size_t g = 0; g < groups.size(); ++g) {
        if (selection.groups[g] == 0) continue;
        own.note(groups[g].first, groups[g].first + groups[g].count);
        for (const SlotRange& range : groups[g].ranges) read.note(range.first, range.end);
    }
    selection.own_blocks = own.numbers();
    read.join(own);
    selection.blocks = read.numbers();
}

std::unique_ptr<Exchange> Neighbourhood::begin_ghosts(const SortedColumns& columns, std::size_t components) const {
    return ranks_ == nullptr ? nullptr : ghosts_.begin(*ranks_->comm, columns, components);
}

void Neighbourhood::finish_ghosts(Exchange& exchange, std::size_t components, SortedColumns& columns) const {
    auto ghosts = Ghosts::finish(exchange, components);
    const auto order = ghost_tree_.order();
    std::vector<double> as_received;
    for (auto& values : ghosts) {
        as_received.swap(values);
        values.resize(order.size());
        for (std::size_t slot = 0; slot < order.size(); ++slot) values[slot] = as_received[order[slot]];
    }
    columns.append(ghosts);
}

}  // namespace trellis
