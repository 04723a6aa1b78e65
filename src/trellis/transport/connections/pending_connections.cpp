#include "trellis/transport/connections/pending_connections.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace trellis {

namespace {

// A peer's first bytes arrive in this time, and a flood of connections costs little.
constexpr std::chrono::milliseconds shortest_stay{100};

}  // namespace

void PendingConnection::end(const std::string& why) {
    if (!why_dropped.empty()) return;
    why_dropped = why;
    if (drop) drop();
}

// The connections that may end, and the number of proven ones.
PendingConnections::Taken PendingConnections::not_proven(std::size_t& proven) {
    std::erase_if(pending_, [](const auto& pending) { return pending.expired(); });
    Taken open;
    proven = 0;
    for (const auto& weak : pending_)
        if (auto pending = weak.lock(); pending->progress == PendingConnection::Progress::proven)
            ++proven;
        else if (pending->why_dropped.empty())
            open.push_back(std::move(pending));
    return open;
}

PendingConnections::Room PendingConnections::make_room(const std::string& address) {
    std::size_t proven = 0;
    const Taken open = not_proven(proven);
    std::map<std::string, std::size_t> of_address;
    for (const auto& pending : open) ++of_address[pending->address];
    const bool all_taken = open.size() + proven >= most_;
    const bool too_many = of_address[address] >= std::max<std::size_t>(most_ / 2, 1);
    if (!all_taken && !too_many) return Room::free;
    if (open.empty()) return Room::none;
    const auto rank = [&](const std::shared_ptr<PendingConnection>& pending) {
        const std::size_t others =
            too_many ? (pending->address == address ? 0 : 1) : most_ - of_address[pending->address];
        return std::tuple(others, pending->progress, pending->since);
    };
    const auto victim = *std::ranges::min_element(open, {}, rank);
    if (Clock::now() - victim->since < shortest_stay) return Room::soon;
    victim->end("its slot was needed for another connection");
    return Room::free;
}

std::shared_ptr<PendingConnection> PendingConnections::take(const std::string& address) {
    auto pending = std::make_shared<PendingConnection>();
    pending->address = address;
    pending_.push_back(pending);
    return pending;
}

}  // namespace trellis
