#include "trellis/ranks/sites/site_exchange.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "trellis/packing/bytes.hpp"

namespace trellis {

std::size_t Members::site_of(int member) const {
    return static_cast<std::size_t>(std::ranges::upper_bound(heads, member) - heads.begin()) - 1;
}

std::vector<std::byte> Bundle::packed() const {
    ByteWriter writer;
    writer.put(trips);
    for (const Entry& entry : entries) {
        writer.put(entry.from);
        writer.put_counted(std::span<const int>(entry.to));
        writer.put_counted(std::span<const std::byte>(entry.bytes));
    }
    return writer.take();
}

Bundle Bundle::unpacked(std::span<const std::byte> bytes) {
    ByteReader reader(bytes);
    Bundle bundle{reader.get<std::uint64_t>()};
    while (!reader.at_end()) {
        const int from = reader.get<int>();
        auto to = reader.get_counted<int>();
        const auto part = reader.get_part();
        bundle.entries.push_back({from, std::move(to), {part.begin(), part.end()}});
    }
    return bundle;
}

void Bundle::join_alike() {
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

// What goes to the head, which hears from every rank, is a bundle; other messages within the site go as they are. The
// ranks that are not heads begin the last round at once: it ends when the head, too, has begun it.
SiteExchange::SiteExchange(std::shared_ptr<Members> members, std::vector<Message> messages)
    : members_(std::move(members)),
      courier_(*members_->courier),
      purpose_{members_->number, ++members_->begun},
      part_(courier_.part),
      place_(courier_.next_number()),
      arrived_(members_->sites(), false),
      missing_(members_->sites() - 1),
      outgoing_(members_->sites()),
      trips_(courier_.traffic.trips) {
    Bundle to_head{trips_};
    std::vector<Message> direct;
    for (Message& message : messages) {
        if (message.rank == members_->rank)
            in_.push_back(std::move(message));
        else if (message.rank != everyone && members_->is_here(message.rank) && message.rank != members_->head())
            direct.push_back({message.rank - members_->head(), std::move(message.bytes)});
        else
            to_head.entries.push_back({members_->rank, {message.rank}, std::move(message.bytes)});
    }
    add_tellings(to_head);
    if (members_->is_head())
        for (auto& entry : to_head.entries) route(std::move(entry));
    else
        direct.push_back({0, to_head.packed()});
    gathering_ = members_->gathering->begin_exchange(std::move(direct));
    if (!members_->is_head()) spreading_ = members_->spreading->begin_exchange({});
    courier_.add(place_, [this] { move_along(); });
}

void SiteExchange::add_tellings(Bundle& to_head) {
    for (auto& [number, telling] : members_->tellings)
        if (!std::exchange(telling.sent, true))
            to_head.entries.push_back({members_->rank, {told, number}, std::move(telling.own)});
}

SiteExchange::~SiteExchange() {
    courier_.remove(place_);
    expect(false);
}

void SiteExchange::expect(bool letters) {
    if (letters != expecting_) courier_.expect(letters ? 1 : -1);
    expecting_ = letters;
}

bool SiteExchange::progress() {
    courier_.move_along();
    return complete();
}

std::vector<Message> SiteExchange::finish() {
    if (members_->sites() > 1) {
        if (members_->is_head()) note_visible();
        courier_.wait_for_sites_until([&] { return complete(); }, part_);
    } else {
        courier_.wait_until([&] { return complete(); });
    }
    if (!members_->is_head()) take_in(gathering_->finish(), false);
    take_in(spreading_->finish(), true);
    courier_.traffic.trips = std::max(courier_.traffic.trips, trips_);
    std::ranges::sort(in_, {}, &Message::rank);
    return std::move(in_);
}

// Once all of the site's ranks have begun: what they wait for until then is this site itself.
void SiteExchange::note_visible() {
    courier_.wait_for_sites_until([&] { return collected_ || spreading_; }, part_);
    courier_.move_along();
    if (missing_ > 0) ++courier_.traffic.visible;
}

bool SiteExchange::complete() {
    if (!members_->is_head() && !gathering_->progress()) return false;
    return spreading_ && spreading_->progress();
}

void SiteExchange::move_along() {
    if (!members_->is_head() || spreading_) return;
    if (!collected_ && gathering_->progress()) collect();
    if (!collected_) return;
    receive_bundles();
    if (missing_ == 0) expect(false);
    if (missing_ == 0 && members_->spread + 1 == purpose_.number) spread();
}

// On the head: to the site for which it is.
void SiteExchange::route(Bundle::Entry entry) {
    if (entry.to.front() < 0)
        for (Bundle& bundle : outgoing_) bundle.entries.push_back(entry);
    else
        outgoing_[members_->site_of(entry.to.front())].entries.push_back(std::move(entry));
}

void SiteExchange::collect() {
    for (const Message& message : gathering_->finish()) {
        Bundle bundle = Bundle::unpacked(message.bytes);
        trips_ = std::max(trips_, bundle.trips);
        for (auto& entry : bundle.entries) route(std::move(entry));
    }
    collected_ = true;
    send_bundles();
    expect(missing_ > 0);
}

void SiteExchange::send_bundles() {
    for (std::size_t site = 0; site < members_->sites(); ++site) {
        if (site == members_->site) continue;
        Bundle bundle = std::exchange(outgoing_[site], {});
        bundle.trips = trips_ + 1;
        bundle.join_alike();
        courier_.send(members_->in_run(members_->heads[site]), purpose_, trips_, bundle.packed(), part_);
    }
}

void SiteExchange::receive_bundles() {
    for (std::size_t site = 0; site < members_->sites() && missing_ > 0; ++site) {
        if (site == members_->site || arrived_[site]) continue;
        const auto letter = courier_.take(members_->in_run(members_->heads[site]), purpose_);
        if (!letter) continue;
        arrived_[site] = true;
        --missing_;
        Bundle bundle = Bundle::unpacked(letter->bytes);
        trips_ = std::max(trips_, bundle.trips);
        for (auto& entry : bundle.entries) outgoing_[members_->site].entries.push_back(std::move(entry));
    }
}

void SiteExchange::spread() {
    std::vector<Bundle> to_ranks(static_cast<std::size_t>(members_->gathering->size()));
    for (const auto& [from, receivers, bytes] : outgoing_[members_->site].entries) {
        if (receivers.front() < 0) {
            for (Bundle& bundle : to_ranks) bundle.entries.push_back({from, receivers, bytes});
            continue;
        }
        for (const int to : receivers)
            to_ranks[static_cast<std::size_t>(to - members_->head())].entries.push_back({from, {to}, bytes});
    }
    for (auto& entry : to_ranks[0].entries) arrive(std::move(entry));
    outgoing_.clear();
    std::vector<Message> messages;
    for (std::size_t local = 1; local < to_ranks.size(); ++local) {
        to_ranks[local].trips = trips_;
        messages.push_back({static_cast<int>(local), to_ranks[local].packed()});
    }
    spreading_ = members_->spreading->begin_exchange(std::move(messages));
    ++members_->spread;
}

void SiteExchange::take_in(std::vector<Message> arrived, bool from_head) {
    for (Message& message : arrived) {
        if (!from_head) {
            in_.push_back({message.rank + members_->head(), std::move(message.bytes)});
            continue;
        }
        Bundle bundle = Bundle::unpacked(message.bytes);
        trips_ = std::max(trips_, bundle.trips);
        for (auto& entry : bundle.entries) arrive(std::move(entry));
    }
}

void SiteExchange::arrive(Bundle::Entry entry) {
    Message message{entry.from, std::move(entry.bytes)};
    if (entry.to.front() != told) return in_.push_back(std::move(message));
    const auto telling = members_->tellings.find(entry.to.back());
    if (telling != members_->tellings.end()) telling->second.heard.push_back(std::move(message));
}

}  // namespace trellis
