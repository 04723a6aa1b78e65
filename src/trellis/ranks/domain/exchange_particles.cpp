#include "trellis/ranks/domain/exchange_particles.hpp"

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "trellis/base/error.hpp"
#include "trellis/particles/packed_rows.hpp"
#include "trellis/ranks/comm/async_reduction.hpp"
#include "trellis/ranks/comm/collective.hpp"
#include "trellis/ranks/domain/same_particles.hpp"

namespace trellis {

namespace {

struct Division {
    std::vector<std::uint32_t> staying;
    std::vector<std::uint32_t> leaving;  // sorted by owner, then by row
};

// Totals over all ranks.
struct Census {
    RankColumns columns;
    RankRegions regions;
    Identities identities;
    std::uint64_t leaving;
};

Census operator+(const Census& a, const Census& b) {
    return {joined(a.columns, b.columns), joined(a.regions, b.regions), a.identities + b.identities,
            a.leaving + b.leaving};
}

void check_owners(std::span<const int> owner, std::size_t rows, int ranks) {
    if (owner.size() != rows)
        throw InputError(std::to_string(owner.size()) + " owners are given for " + std::to_string(rows) +
                         " particles: allowed is one for each");
    const auto bad = std::ranges::find_if(owner, [&](int rank) { return rank < 0 || rank >= ranks; });
    if (bad != owner.end())
        throw InputError("row " + std::to_string(bad - owner.begin()) + " is to go to rank " + std::to_string(*bad) +
                         ": allowed are 0 to " + std::to_string(ranks - 1));
}

Division divided(std::span<const int> owner, int rank) {
    Division division;
    for (std::uint32_t row = 0; row < owner.size(); ++row)
        (owner[row] == rank ? division.staying : division.leaving).push_back(row);
    std::ranges::sort(division.leaving, {}, [&](std::uint32_t row) { return std::pair(owner[row], row); });
    return division;
}

// One message to each rank that receives rows.
std::vector<Message> messages_of(const ParticleSet& particles, const RowFormat& format, std::span<const int> owner,
                                 std::span<const std::uint32_t> leaving) {
    std::vector<Message> messages;
    while (!leaving.empty()) {
        const int to = owner[leaving.front()];
        const auto next = std::ranges::find_if(leaving, [&](std::uint32_t row) { return owner[row] != to; });
        const auto count = static_cast<std::size_t>(next - leaving.begin());
        messages.push_back({to, format.packed(particles, leaving.first(count))});
        leaving = leaving.subspan(count);
    }
    return messages;
}

std::uint64_t take_in(ParticleSet& particles, const RowFormat& format, std::span<const std::uint32_t> staying,
                      const std::vector<Message>& messages) {
    std::size_t came = 0;
    for (const Message& message : messages) came += format.row_count(message.bytes);
    if (came == 0 && staying.size() == particles.size()) return 0;
    particles.replace_rows(staying, came);
    std::size_t row = staying.size();
    for (const Message& message : messages) {
        format.unpack(message.bytes, particles, row);
        row += format.row_count(message.bytes);
    }
    return came;
}

}  // namespace

Moved exchange_particles(Comm& comm, ParticleSet& particles, std::span<const int> owner, ArrivalCheck& check) {
    check_owners(owner, particles.size(), comm.size());
    const Division division = divided(owner, comm.rank());
    const RowFormat format(particles);
    const Census own{columns_of(comm, format), regions_of(comm, particles), identities_of(particles),
                     division.leaving.size()};
    AsyncReduction census(comm, own, std::plus<Census>{});
    std::unique_ptr<Exchange> exchange;  // between sites it travels with the census
    if (census.under_way()) exchange = comm.begin_exchange(messages_of(particles, format, owner, division.leaving));
    const Census before = census.finish();
    check_same_columns(comm, format, before.columns);
    check_same_region(before.regions);
    if (!exchange && before.leaving == 0) return {};
    if (!exchange) exchange = comm.begin_exchange(messages_of(particles, format, owner, division.leaving));
    const auto messages = exchange->finish();
    if (before.leaving == 0) return {};
    const std::uint64_t came = take_in(particles, format, division.staying, messages);
    check.begin(comm, before.identities, identities_of(particles));
    return {division.leaving.size(), came};
}

}  // namespace trellis
