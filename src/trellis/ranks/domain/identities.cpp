#include "trellis/ranks/domain/identities.hpp"

#include <algorithm>
#include <compare>
#include <functional>
#include <iterator>
#include <limits>
#include <string>
#include <vector>

#include "trellis/base/error.hpp"
#include "trellis/base/parallel.hpp"
#include "trellis/ranks/comm/collective.hpp"

namespace trellis {

using namespace fields;

namespace {

struct Holder {
    std::uint64_t id;
    int rank;

    friend auto operator<=>(const Holder&, const Holder&) = default;
};

struct Twice {
    std::uint64_t id = std::numeric_limits<std::uint64_t>::max();
    int first = -1;  // -1: no id occurs twice
    int second = -1;
};

// The rank that compares this id: ids in sequence, or in strides, are spread evenly (the last steps of MurmurHash3).
int home_of(std::uint64_t id, int size) {
    id = (id ^ (id >> 33)) * 0xff51afd7ed558ccd;
    id = (id ^ (id >> 33)) * 0xc4ceb9fe1a85ec53;
    return static_cast<int>((id ^ (id >> 33)) % static_cast<std::uint64_t>(size));
}

// Messages that send each id to its home.
std::vector<Message> sent_home(std::span<const std::uint64_t> ids, int size) {
    std::vector<Holder> homes;
    homes.reserve(ids.size());
    for (const std::uint64_t own : ids) homes.push_back({own, home_of(own, size)});
    std::ranges::sort(homes, {}, &Holder::rank);
    std::vector<Message> messages;
    for (auto from = homes.begin(); from != homes.end();) {
        const auto to = std::find_if(from, homes.end(), [&](const Holder& next) { return next.rank != from->rank; });
        std::vector<std::uint64_t> packed;
        for (auto next = from; next != to; ++next) packed.push_back(next->id);
        const auto bytes = std::as_bytes(std::span(packed));
        messages.push_back({from->rank, {bytes.begin(), bytes.end()}});
        from = to;
    }
    return messages;
}

Twice lowest_twice(const std::vector<Message>& messages) {
    std::vector<Holder> holders;
    for (const Message& message : messages)
        for (std::size_t at = 0; at < message.bytes.size(); at += sizeof(std::uint64_t))
            holders.push_back({value_of<std::uint64_t>(std::span(message.bytes).subspan(at)), message.rank});
    std::ranges::sort(holders);
    const auto found = std::ranges::adjacent_find(holders, {}, &Holder::id);
    return found == holders.end() ? Twice{} : Twice{found->id, found->rank, std::next(found)->rank};
}

}  // namespace

Identities identities_of(const ParticleSet& particles) {
    const auto ids = particles[id];
    return parallel_reduce(
        ids.size(), Identities{},
        [&](std::size_t begin, std::size_t end) {
            Identities block;
            for (const std::uint64_t own : ids.subspan(begin, end - begin)) block = block + Identities{1, own, own};
            return block;
        },
        std::plus{});
}

void check_unchanged(const Identities& before, const Identities& after) {
    if (after == before) return;
    const std::string numbers = "the sum of the ids was " + std::to_string(before.sum) + " and is " +
                                std::to_string(after.sum) + ", their exclusive or was " + std::to_string(before.xored) +
                                " and is " + std::to_string(after.xored);
    const std::string all = std::to_string(before.count) + " particles: ";
    if (after.count < before.count)
        throw RunError("the exchange lost " + std::to_string(before.count - after.count) + " of " + all + numbers);
    if (after.count > before.count)
        throw RunError("the exchange doubled " + std::to_string(after.count - before.count) + " of " + all + numbers);
    throw RunError("the exchange changed the ids of " + all + numbers);
}

void ArrivalCheck::begin(Comm& comm, const Identities& before, const Identities& after) {
    finish();
    before_ = before;
    if (after_.post(comm, after)) finish();
}

void ArrivalCheck::finish() {
    if (after_.pending()) check_unchanged(before_, after_.collect());
}

void check_identities(Comm& comm, const ParticleSet& particles) {
    const auto came = comm.begin_exchange(sent_home(particles[id], comm.size()))->finish();
    const Twice twice = all_reduce(comm, lowest_twice(came), [](const Twice& a, const Twice& b) {
        return b.first < 0 || (a.first >= 0 && a.id < b.id) ? a : b;
    });
    if (twice.first < 0) return;
    const std::string where = twice.first == twice.second ? " is twice on rank " + std::to_string(twice.first)
                                                          : " is on rank " + std::to_string(twice.first) +
                                                                " and on rank " + std::to_string(twice.second);
    throw InputError("id " + std::to_string(twice.id) + where +
                     ": each particle belongs to one rank and has an id of its own, but the ids of a new particle set "
                     "count from 0 on every rank; make particles on rank 0 only, and none on the others (in Python: "
                     "if tr.rank() == 0; in C++: world()->rank() == 0)");
}

}  // namespace trellis
