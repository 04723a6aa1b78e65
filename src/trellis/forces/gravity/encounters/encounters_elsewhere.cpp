#include "trellis/forces/gravity/encounters/encounters_elsewhere.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "trellis/base/parallel.hpp"
#include "trellis/ranks/comm/collective.hpp"

namespace trellis {

namespace {

// The groups by which other ranks know a rank's bodies.
constexpr std::size_t most_groups = 64;

struct Summary {
    std::size_t count = 0;
    std::array<Bodies, most_groups> groups{};
    std::array<double, most_groups> least{};  // of the squared rates of the encounters of each group
};

Summary summary_of(const EncounterTree& tree, std::span<const Encounter> encounters) {
    Summary summary;
    std::size_t level = 0, size = 1;  // of a group, in bodies
    for (; tree.levels()[level].size() > most_groups; ++level) size *= Groups::block_size;
    summary.count = tree.levels()[level].size();
    for (std::size_t group = 0; group < summary.count; ++group) {
        const std::size_t begin = group * size;
        summary.groups[group] = tree.levels()[level][group];
        const auto own = encounters.subspan(begin, std::min(size, encounters.size() - begin));
        summary.least[group] = std::ranges::min_element(own, {}, &Encounter::squared_rate)->squared_rate;
    }
    return summary;
}

// The bodies of this rank that may have faster encounters with those of another one.
std::vector<Bodies> needed_by(const Summary& other, const EncounterTree& tree, const EncounterSpace& space) {
    std::vector<std::uint8_t> marks(tree.size(), 0);
    for (std::size_t group = 0; group < other.count; ++group)
        TRELLIS_VARIANT(mark_exceeding)(tree, space, other.groups[group], other.least[group], marks);
    std::vector<Bodies> needed;
    for (std::size_t k = 0; k < marks.size(); ++k)
        if (marks[k] != 0) needed.push_back(tree.levels()[0][k]);
    return needed;
}

std::vector<Bodies> bodies_elsewhere(std::span<const Encounter> encounters, const EncounterTree& tree,
                                     const EncounterSpace& space, Comm& comm) {
    const std::vector<Summary> summaries = all_gather(comm, summary_of(tree, encounters));
    std::vector<Message> messages;
    for (int rank = 0; rank < comm.size(); ++rank) {
        if (rank == comm.rank()) continue;
        const std::vector<Bodies> needed = needed_by(summaries[static_cast<std::size_t>(rank)], tree, space);
        const auto bytes = std::as_bytes(std::span(needed));
        if (!bytes.empty()) messages.push_back({rank, {bytes.begin(), bytes.end()}});
    }
    const auto bytes = joined_bytes(comm.begin_exchange(std::move(messages))->finish());
    std::vector<Bodies> elsewhere(bytes.size() / sizeof(Bodies));
    if (!bytes.empty()) std::memcpy(static_cast<void*>(elsewhere.data()), bytes.data(), bytes.size());
    return elsewhere;
}

}  // namespace

void find_on_other_ranks(std::span<Encounter> encounters, const EncounterTree& tree, const EncounterSpace& space,
                         Comm& comm) {
    const EncounterTree elsewhere(bodies_elsewhere(encounters, tree, space, comm));
    const auto find = TRELLIS_VARIANT(find_among_all);
    parallel_for(encounters.size(), [&](std::size_t k) { find(elsewhere, space, tree.levels()[0][k], encounters[k]); });
}

}  // namespace trellis
