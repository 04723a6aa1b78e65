#include "trellis/ranks/sites/site_exchange.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "trellis/packing/bytes.hpp"

namespace trellis {

std::size_t SiteGroup::site_of(int member) const {
    return static_cast<std::size_t>(std::ranges::upper_bound(heads, member) - heads.begin()) - 1;
}

std::vector<std::byte> PacketBatch::packed() const {
    ByteWriter writer;
    writer.put(trips);
    for (const Entry& entry : entries) {
        writer.put(entry.from);
        writer.put_counted(std::span<const int>(entry.to));
        writer.put_counted(std::span<const std::byte>(entry.bytes));
    }
    return writer.take();
}

PacketBatch PacketBatch::unpacked(std::span<const std::byte> bytes) {
    ByteReader reader(bytes);
    PacketBatch batch{reader.get<std::uint64_t>()};
    while (!reader.at_end()) {
        const int from = reader.get<int>();
        auto to = reader.get_counted<int>();
        const auto part = reader.get_part();
        batch.entries.push_back({from, std::move(to), {part.begin(), part.end()}});
    }
    return batch;
}

void PacketBatch::join_alike() {
    std::vector<Entry> joined;
    for (Entry& entry : entries) {
        const bool to_ranks = entry.to.front() >= 0 && !joined.empty() && joined.back().to.front() >= 0;
        if (to_ranks && joined.back().from == entry.from && joined.back().bytes == entry.bytes)
            joined.back().to.insert(joined.back().to.end(), entry.to.begin(), entry.to.end());
        else
            joined.push_back(std::move(entry));
    }
    entries = std::move(joined);
}

// What goes to the head, which hears from every rank, is a batch; other messages within the site go as they are. The
// ranks that are not heads begin the last round at once: it ends when the head, too, has begun it.
SiteExchange::SiteExchange(std::shared_ptr<SiteGroup> members, std::vector<Message> messages)
    : group_(std::move(members)),
      router_(*group_->router),
      channel_{group_->number, ++group_->begun},
      part_(router_.part),
      place_(router_.next_number()),
      arrived_(group_->sites(), false),
      missing_(group_->sites() - 1),
      outgoing_(group_->sites()),
      trips_(router_.traffic.trips) {
    PacketBatch to_head{trips_};
    std::vector<Message> direct;
    for (Message& message : messages) {
        if (message.rank == group_->rank)
            in_.push_back(std::move(message));
        else if (message.rank != everyone && group_->is_here(message.rank) && message.rank != group_->head())
            direct.push_back({message.rank - group_->head(), std::move(message.bytes)});
        else
            to_head.entries.push_back({group_->rank, {message.rank}, std::move(message.bytes)});
    }
    add_deferred(to_head);
    if (group_->is_head())
        for (auto& entry : to_head.entries) route(std::move(entry));
    else
        direct.push_back({0, to_head.packed()});
    gathering_ = group_->gathering->begin_exchange(std::move(direct));
    if (!group_->is_head()) spreading_ = group_->spreading->begin_exchange({});
    router_.add(place_, [this] { move_along(); });
}

void SiteExchange::add_deferred(PacketBatch& to_head) {
    for (auto& [number, pending] : group_->deferred)
        if (!std::exchange(pending.sent, true))
            to_head.entries.push_back({group_->rank, {deferred, number}, std::move(pending.own)});
}

SiteExchange::~SiteExchange() {
    router_.remove(place_);
    expect(false);
}

void SiteExchange::expect(bool packets) {
    if (packets != expecting_) router_.expect(packets ? 1 : -1);
    expecting_ = packets;
}

bool SiteExchange::progress() {
    router_.move_along();
    return complete();
}

std::vector<Message> SiteExchange::finish() {
    if (group_->sites() > 1) {
        if (group_->is_head()) note_visible();
        router_.wait_for_sites_until([&] { return complete(); }, part_);
    } else {
        router_.wait_until([&] { return complete(); });
    }
    if (!group_->is_head()) take_in(gathering_->finish(), false);
    take_in(spreading_->finish(), true);
    router_.traffic.trips = std::max(router_.traffic.trips, trips_);
    std::ranges::sort(in_, {}, &Message::rank);
    return std::move(in_);
}

// Once all of the site's ranks have begun: what they wait for until then is this site itself.
void SiteExchange::note_visible() {
    router_.wait_for_sites_until([&] { return collected_ || spreading_; }, part_);
    router_.move_along();
    if (missing_ > 0) ++router_.traffic.visible;
}

bool SiteExchange::complete() {
    if (!group_->is_head() && !gathering_->progress()) return false;
    return spreading_ && spreading_->progress();
}

void SiteExchange::move_along() {
    if (!group_->is_head() || spreading_) return;
    if (!collected_ && gathering_->progress()) collect();
    if (!collected_) return;
    receive_batches();
    if (missing_ == 0) expect(false);
    if (missing_ == 0 && group_->spread + 1 == channel_.number) spread();
}

// On the head: to the site for which it is.
void SiteExchange::route(PacketBatch::Entry entry) {
    if (entry.to.front() < 0)
        for (PacketBatch& batch : outgoing_) batch.entries.push_back(entry);
    else
        outgoing_[group_->site_of(entry.to.front())].entries.push_back(std::move(entry));
}

void SiteExchange::collect() {
    for (const Message& message : gathering_->finish()) {
        PacketBatch batch = PacketBatch::unpacked(message.bytes);
        trips_ = std::max(trips_, batch.trips);
        for (auto& entry : batch.entries) route(std::move(entry));
    }
    collected_ = true;
    send_batches();
    expect(missing_ > 0);
}

void SiteExchange::send_batches() {
    for (std::size_t site = 0; site < group_->sites(); ++site) {
        if (site == group_->site) continue;
        PacketBatch batch = std::exchange(outgoing_[site], {});
        batch.trips = trips_ + 1;
        batch.join_alike();
        router_.send(group_->in_run(group_->heads[site]), channel_, trips_, batch.packed(), part_);
    }
}

void SiteExchange::receive_batches() {
    for (std::size_t site = 0; site < group_->sites() && missing_ > 0; ++site) {
        if (site == group_->site || arrived_[site]) continue;
        const auto packet = router_.take(group_->in_run(group_->heads[site]), channel_);
        if (!packet) continue;
        arrived_[site] = true;
        --missing_;
        PacketBatch batch = PacketBatch::unpacked(packet->bytes);
        trips_ = std::max(trips_, batch.trips);
        for (auto& entry : batch.entries) outgoing_[group_->site].entries.push_back(std::move(entry));
    }
}

void SiteExchange::spread() {
    std::vector<PacketBatch> to_ranks(static_cast<std::size_t>(group_->gathering->size()));
    for (const auto& [from, receivers, bytes] : outgoing_[group_->site].entries) {
        if (receivers.front() < 0) {
            for (PacketBatch& batch : to_ranks) batch.entries.push_back({from, receivers, bytes});
            continue;
        }
        for (const int to : receivers)
            to_ranks[static_cast<std::size_t>(to - group_->head())].entries.push_back({from, {to}, bytes});
    }
    for (auto& entry : to_ranks[0].entries) arrive(std::move(entry));
    outgoing_.clear();
    std::vector<Message> messages;
    for (std::size_t local = 1; local < to_ranks.size(); ++local) {
        to_ranks[local].trips = trips_;
        messages.push_back({static_cast<int>(local), to_ranks[local].packed()});
    }
    spreading_ = group_->spreading->begin_exchange(std::move(messages));
    ++group_->spread;
}

void SiteExchange::take_in(std::vector<Message> arrived, bool from_head) {
    for (Message& message : arrived) {
        if (!from_head) {
            in_.push_back({message.rank + group_->head(), std::move(message.bytes)});
            continue;
        }
        PacketBatch batch = PacketBatch::unpacked(message.bytes);
        trips_ = std::max(trips_, batch.trips);
        for (auto& entry : batch.entries) arrive(std::move(entry));
    }
}

void SiteExchange::arrive(PacketBatch::Entry entry) {
    Message message{entry.from, std::move(entry.bytes)};
    if (entry.to.front() != deferred) return in_.push_back(std::move(message));
    const auto pending = group_->deferred.find(entry.to.back());
    if (pending != group_->deferred.end()) pending->second.received.push_back(std::move(message));
}

}  // namespace trellis
