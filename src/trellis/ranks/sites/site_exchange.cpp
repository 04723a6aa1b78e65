#include "trellis/ranks/sites/site_exchange.hpp"

#include <algorithm>
#include <utility>

namespace trellis {

// Deliveries to the head travel as one batch, which every rank sends; others within the site go as they are.
SiteExchange::SiteExchange(std::shared_ptr<SiteGroup> group, std::vector<Delivery> deliveries)
    : group_(std::move(group)),
      router_(*group_->router),
      channel_{group_->number, ++group_->begun},
      traffic_class_(router_.traffic_class()),
      step_number_(router_.next_number()),
      round_(group_->is_head() ? Round::gathering : Round::spreading),
      to_sites_(group_->sites()),
      arrived_(group_->sites(), false),
      missing_(group_->sites() - 1),
      hops_(router_.hops()) {
    PacketBatch to_head{hops_};
    std::vector<Message> direct;
    for (Delivery& delivery : deliveries) {
        if (delivery.to.kind != Destination::Kind::ranks) {
            to_head.deliveries.push_back(std::move(delivery));
            continue;
        }
        const int to = delivery.to.ranks.front();
        if (to == group_->rank)
            in_.push_back({to, std::move(delivery.bytes)});
        else if (group_->is_here(to) && to != group_->head())
            direct.push_back({to - group_->head(), std::move(delivery.bytes)});
        else
            to_head.deliveries.push_back(std::move(delivery));
    }
    add_deferred(to_head);
    begin_gathering(std::move(to_head), std::move(direct));
    router_.add(step_number_, [this] { move_along(); });
}

void SiteExchange::add_deferred(PacketBatch& to_head) {
    for (auto& [number, deferred] : group_->deferred)
        if (!std::exchange(deferred.sent, true))
            to_head.deliveries.push_back(
                {group_->rank, {Destination::Kind::deferred, {}, number}, std::move(deferred.own)});
}

// The last round of a rank that is not the head ends after the head has begun it.
void SiteExchange::begin_gathering(PacketBatch to_head, std::vector<Message> direct) {
    if (group_->is_head())
        for (Delivery& delivery : to_head.deliveries) route(std::move(delivery));
    else
        direct.push_back({0, to_head.packed()});
    gathering_ = group_->gathering->begin_exchange(std::move(direct));
    if (!group_->is_head()) spreading_ = group_->spreading->begin_exchange({});
}

SiteExchange::~SiteExchange() {
    router_.remove(step_number_);
    if (round_ == Round::between_sites && missing_ > 0) router_.expect(-1);
}

bool SiteExchange::progress() {
    router_.move_along();
    return complete();
}

std::vector<Message> SiteExchange::finish() {
    if (group_->sites() > 1) {
        if (group_->is_head()) wait_for_gathering();
        router_.wait_for_sites_until([&] { return complete(); }, traffic_class_);
    } else {
        router_.wait_until([&] { return complete(); });
    }
    if (!group_->is_head()) take_in(gathering_->finish(), false);
    take_in(spreading_->finish(), true);
    router_.note_hops(hops_);
    std::ranges::sort(in_, {}, &Message::rank);
    return std::move(in_);
}

// Waits for the ranks of this site to begin, and notes whether packets of other sites are missing then: until then the
// exchange waits for this site itself.
void SiteExchange::wait_for_gathering() {
    router_.wait_for_sites_until([&] { return round_ != Round::gathering; }, traffic_class_);
    router_.move_along();
    if (missing_ > 0) router_.note_visible();
}

bool SiteExchange::complete() {
    if (round_ != Round::spreading) return false;
    if (!group_->is_head() && !gathering_->progress()) return false;
    return spreading_->progress();
}

void SiteExchange::move_along() {
    if (round_ == Round::gathering && gathering_->progress()) end_gathering();
    if (round_ != Round::between_sites) return;
    if (missing_ > 0) receive_batches();
    if (missing_ == 0 && group_->spread + 1 == channel_.number) begin_spreading();
}

// On the head: hands a delivery of this site to the sites of its receivers.
void SiteExchange::route(Delivery delivery) {
    if (delivery.to.kind != Destination::Kind::ranks) {
        for (std::size_t site = 0; site < group_->sites(); ++site)
            if (site != group_->site) to_sites_[site].deliveries.push_back(delivery);
        to_own_site_.push_back(std::move(delivery));
        return;
    }
    const std::size_t site = group_->site_of(delivery.to.ranks.front());
    (site == group_->site ? to_own_site_ : to_sites_[site].deliveries).push_back(std::move(delivery));
}

void SiteExchange::end_gathering() {
    for (const Message& message : gathering_->finish()) {
        PacketBatch batch = PacketBatch::unpacked(message.bytes);
        hops_ = std::max(hops_, batch.hops);
        for (Delivery& delivery : batch.deliveries) route(std::move(delivery));
    }
    send_batches();
    if (missing_ > 0) router_.expect(1);
    round_ = Round::between_sites;
}

void SiteExchange::send_batches() {
    for (std::size_t site = 0; site < group_->sites(); ++site) {
        if (site == group_->site) continue;
        PacketBatch batch = std::exchange(to_sites_[site], {});
        batch.hops = hops_ + 1;
        batch.merge_equal();
        router_.send(group_->in_run(group_->heads[site]), channel_, hops_, batch.packed(), traffic_class_);
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
        hops_ = std::max(hops_, batch.hops);
        for (Delivery& delivery : batch.deliveries) to_own_site_.push_back(std::move(delivery));
    }
    if (missing_ == 0) router_.expect(-1);
}

void SiteExchange::begin_spreading() {
    std::vector<PacketBatch> to_ranks(static_cast<std::size_t>(group_->spreading->size()));
    for (const auto& [from, to, bytes] : std::exchange(to_own_site_, {})) {
        if (to.kind != Destination::Kind::ranks) {
            for (PacketBatch& batch : to_ranks) batch.deliveries.emplace_back(from, to, bytes);
            continue;
        }
        for (const int rank : to.ranks)
            to_ranks[static_cast<std::size_t>(rank - group_->head())].deliveries.emplace_back(
                from, Destination{Destination::Kind::ranks, {rank}}, bytes);
    }
    for (Delivery& delivery : to_ranks[0].deliveries) arrive(std::move(delivery));
    std::vector<Message> messages;
    for (std::size_t local = 1; local < to_ranks.size(); ++local) {
        to_ranks[local].hops = hops_;
        messages.push_back({static_cast<int>(local), to_ranks[local].packed()});
    }
    spreading_ = group_->spreading->begin_exchange(std::move(messages));
    ++group_->spread;
    round_ = Round::spreading;
}

// arrived: messages of ranks of this site, in the local numbers of their senders, or batches of the head.
void SiteExchange::take_in(std::vector<Message> arrived, bool from_head) {
    for (Message& message : arrived) {
        if (!from_head) {
            in_.push_back({message.rank + group_->head(), std::move(message.bytes)});
            continue;
        }
        PacketBatch batch = PacketBatch::unpacked(message.bytes);
        hops_ = std::max(hops_, batch.hops);
        for (Delivery& delivery : batch.deliveries) arrive(std::move(delivery));
    }
}

void SiteExchange::arrive(Delivery delivery) {
    Message message{delivery.from, std::move(delivery.bytes)};
    if (delivery.to.kind != Destination::Kind::deferred) return in_.push_back(std::move(message));
    const auto deferred = group_->deferred.find(delivery.to.number);
    if (deferred != group_->deferred.end()) deferred->second.received.push_back(std::move(message));
}

}  // namespace trellis
