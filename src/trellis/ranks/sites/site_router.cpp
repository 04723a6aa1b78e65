#include "trellis/ranks/sites/site_router.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "trellis/base/error.hpp"
#include "trellis/packing/bytes.hpp"
#include "trellis/ranks/comm/collective.hpp"
#include "trellis/ranks/comm/mail.hpp"

namespace trellis {
namespace {

constexpr LinkTag packets = 1, beginning = 2;
// In place of a communicator: the run ends; a site has received all of its packets; and it relays no more either.
constexpr std::uint64_t end_of_run = ~std::uint64_t{0}, received_notice = end_of_run - 1, close_notice = end_of_run - 2;

// The header of a packet on a link; the packet's bytes follow it.
struct Envelope {
    Channel channel;
    int from, to;
    std::uint64_t hops;
};

std::vector<std::byte> packed(const Packet& packet) {
    const Envelope envelope{packet.channel, packet.from, packet.to, packet.hops};
    std::vector<std::byte> all(sizeof envelope + packet.bytes.size());
    std::memcpy(all.data(), &envelope, sizeof envelope);
    std::ranges::copy(packet.bytes, all.begin() + sizeof envelope);
    return all;
}

Packet unpacked(std::span<const std::byte> bytes) {
    ByteReader reader(bytes);
    const auto envelope = reader.get<Envelope>();
    const auto rest = bytes.subspan(sizeof envelope);
    return {envelope.channel, envelope.from, envelope.to, envelope.hops, {rest.begin(), rest.end()}};
}

std::vector<std::byte> bytes_of_text(const std::string& text) {
    const auto bytes = std::as_bytes(std::span(text));
    return {bytes.begin(), bytes.end()};
}

std::string text_of(std::span<const std::byte> bytes) {
    std::string text(bytes.size(), '\0');
    std::ranges::transform(bytes, text.begin(), [](std::byte each) { return static_cast<char>(each); });
    return text;
}

}  // namespace

SiteRouter::SiteRouter(const std::shared_ptr<Comm>& within, std::vector<std::shared_ptr<Link>> links, Sites sites)
    : within_(within->split(0)),
      links_(std::move(links)),
      has_received_(sites.size(), false),
      left_(sites.size(), false),
      sites_(std::move(sites)) {
    find_begins();
    rank_ = sites_.gateway() + within_->rank();
}

// Exchanges the number of ranks of each site.
void SiteRouter::find_begins() {
    std::vector<int> counts(sites_.size(), within_->size());
    if (is_gateway()) {
        if (links_.size() != sites_.size())
            throw InputError("there are " + std::to_string(links_.size()) + " links for " +
                             std::to_string(sites_.size()) + " sites: needed is one for each, empty for this one");
        const int local = within_->size();
        const std::vector<std::byte> own(bytes_of(local).begin(), bytes_of(local).end());
        for (const auto& link : links_)
            if (link) link->send(beginning, own);
        for (std::size_t site = 0; site < links_.size(); ++site)
            if (links_[site]) counts[site] = value_of<int>(links_[site]->receive(beginning));
    }
    const auto bytes = std::as_bytes(std::span(counts));
    const auto received = broadcast(*within_, {bytes.begin(), bytes.end()});
    ByteReader(received).get(std::span(counts));
    sites_.begins.assign(1, 0);
    for (const int count : counts) sites_.begins.push_back(sites_.begins.back() + count);
}

SiteRouter::~SiteRouter() {
    if (state_ != State::open) return;
    try {
        notify_end("it has ended before the others");
    } catch (const std::exception&) {
        return;  // the links break off, and the other sites find this one dead
    }
}

void SiteRouter::send(int to, Channel channel, std::uint64_t hops, std::vector<std::byte> bytes,
                      TrafficClass traffic_class) {
    throw_if_ended();
    ClassTraffic& counted = traffic_.of(traffic_class);
    ++counted.messages;
    counted.bytes += bytes.size();
    Packet packet{channel, rank_, to, hops + 1, std::move(bytes)};
    if (!is_gateway()) return post(0, packet);
    ending_the_run_on_failure([&] { forward(std::move(packet)); });
}

std::optional<Packet> SiteRouter::take(int from, Channel channel) {
    const auto found = inbox_.find({from, channel});
    if (found == inbox_.end()) return std::nullopt;
    Packet packet = std::move(found->second.front());
    found->second.pop_front();
    if (found->second.empty()) inbox_.erase(found);
    return packet;
}

void SiteRouter::move_along() {
    throw_if_ended();
    if (moving_) return;
    moving_ = true;
    try {
        ending_the_run_on_failure([&] {
            collect_from_site();
            collect_from_links();
            throw_if_ended();
            for (auto step = steps_.begin(); step != steps_.end();) (step++)->second();  // a step may remove itself
        });
    } catch (...) {
        moving_ = false;
        throw;
    }
    moving_ = false;
}

template <class Call>
void SiteRouter::ending_the_run_on_failure(const Call& call) {
    try {
        call();
    } catch (const RunError& error) {
        receive_end();
        notify_end(error.what());
        throw_if_ended();
    }
}

void SiteRouter::collect_from_site() {
    if (within_->size() == 1) return;
    Mail& mail = mail_of(*within_);
    const int first = is_gateway() ? 1 : 0, end = is_gateway() ? within_->size() : 1;
    for (int local = first; local < end; ++local)
        while (auto bytes = mail.take(local)) forward(unpacked(*bytes));
}

void SiteRouter::collect_from_links() {
    for (std::size_t site = 0; site < links_.size(); ++site) collect_from_link(site);
}

void SiteRouter::collect_from_link(std::size_t site) {
    while (links_[site] && !left_[site] && !end_) {
        const auto bytes = links_[site]->take(packets);
        if (!bytes) return;
        Packet packet = unpacked(*bytes);
        if (packet.channel.comm == received_notice)
            has_received_[site] = true;
        else if (packet.channel.comm == close_notice)
            left_[site] = true;
        else
            forward(std::move(packet));
    }
}

// Looks for a packet that says why the run has ended, which may be the cause of a link's failure.
void SiteRouter::receive_end() {
    for (const auto& link : links_) {
        if (!link || end_) continue;
        try {
            while (const auto bytes = link->take(packets))
                if (Packet packet = unpacked(*bytes); packet.channel.comm == end_of_run) deliver(std::move(packet));
        } catch (const RunError&) {
            continue;  // the link that has failed
        }
    }
}

// A gateway forwards packets to other ranks; any other rank receives its own alone.
void SiteRouter::forward(Packet packet) {
    if (!is_gateway() || packet.to == rank_) return deliver(std::move(packet));
    const std::size_t site = sites_.site_of(packet.to);
    if (site == sites_.own)
        post(packet.to - sites_.gateway(), packet);
    else
        send_to(site, packet);
}

// Sends a packet to a site, or to the third one that relays it. While a link is full, this rank takes packets: two
// sites that both send would otherwise wait for each other. Packets to relay that it takes meanwhile are sent after
// those that wait already, so that the order of two ranks' packets is kept.
void SiteRouter::send_to(std::size_t site, const Packet& packet) {
    if (const auto relay = sites_.relays.find(site); relay != sites_.relays.end()) site = relay->second;
    to_send_[site].push_back(packed(packet));
    if (sending_) return;  // taken meanwhile
    sending_ = true;
    try {
        while (!send_what_fits()) {
            collect_from_links();
            throw_if_ended();
            std::this_thread::sleep_for(std::chrono::microseconds(50));
        }
    } catch (...) {
        sending_ = false;
        throw;
    }
    sending_ = false;
}

// True if nothing is left to send.
bool SiteRouter::send_what_fits() {
    for (auto& [site, queue] : to_send_)
        for (; !queue.empty() && links_[site]->has_room(); queue.pop_front())
            links_[site]->send(packets, std::move(queue.front()));
    return std::ranges::all_of(to_send_, [](const auto& of_site) { return of_site.second.empty(); });
}

// Counts the time since the last call as waiting, or as work while packets are under way.
void SiteRouter::count_time() {
    const auto now = std::chrono::steady_clock::now();
    const double seconds = std::chrono::duration<double>(now - std::exchange(counted_, now)).count();
    if (waiting_)
        traffic_.of(*waiting_).waiting += seconds;
    else if (expected_ > 0)
        traffic_.hidden += seconds;
}

void SiteRouter::deliver(Packet packet) {
    if (packet.channel.comm == end_of_run) {
        if (!end_) end_ = {text_of(packet.bytes), !is_gateway() || sites_.site_of(packet.from) != sites_.own};
        return;
    }
    const std::tuple key{packet.from, packet.channel};
    inbox_[key].push_back(std::move(packet));
}

void SiteRouter::post(int local, const Packet& packet) { mail_of(*within_).post(local, packed(packet)); }

void SiteRouter::throw_if_ended() const {
    if (end_) throw RunError(end_->why);
}

void SiteRouter::notify_end(const std::string& why) {
    if (std::exchange(state_, State::end_notified) == State::end_notified) return;
    if (!end_) end_ = {why, false};
    const auto notify = [&](const auto& send) {
        try {
            send();
        } catch (const RunError&) {
            return;  // the receiver is dead: the others are notified all the same
        }
    };
    const auto packet = [&](int to, const std::string& text) {
        return Packet{{end_of_run, 0}, rank_, to, 0, bytes_of_text(text)};
    };
    if (!is_gateway()) {
        if (!end_->received) notify([&] { post(0, packet(sites_.gateway(), why)); });
        return;
    }
    for (int local = 1; local < within_->size(); ++local)
        notify([&] { post(local, packet(rank_ + local, end_->why)); });
    const std::string to_sites =
        end_->received ? end_->why : "the site " + sites_.names[sites_.own] + " has ended the run: " + end_->why;
    for (std::size_t site = 0; site < links_.size(); ++site)
        if (links_[site] && !left_[site])
            notify([&] {
                links_[site]->send(packets, packed(packet(sites_.begins[site], to_sites)));
                links_[site]->close();
            });
}

void SiteRouter::close() {
    if (state_ != State::open) return;
    state_ = State::closed;
    if (sites_.size() > 2) relay_until_all_have_received();
    notify_sites(close_notice);
    for (const auto& link : links_)
        if (link) link->close();
}

// Sends a packet without bytes to each site.
void SiteRouter::notify_sites(std::uint64_t notice) {
    for (std::size_t site = 0; site < links_.size(); ++site) {
        if (!links_[site] || left_[site]) continue;
        try {
            links_[site]->send(packets, packed({{notice, 0}, rank_, sites_.begins[site], 0, {}}));
        } catch (const RunError&) {
            left_[site] = true;  // it has closed the link already
        }
    }
}

// Packets between two other sites may come by way of this one until all have received theirs.
void SiteRouter::relay_until_all_have_received() {
    notify_sites(received_notice);
    const auto waits_for = [&](std::size_t site) {
        if (!links_[site]) return false;
        try {
            collect_from_link(site);
        } catch (const RunError&) {
            left_[site] = true;  // it is dead, or its packet was for a site that is
        }
        return !left_[site] && !has_received_[site];
    };
    bool waits = true;
    while (waits && !end_) {
        waits = false;
        for (std::size_t site = 0; site < links_.size(); ++site) waits = waits_for(site) || waits;
        if (waits) std::this_thread::sleep_for(std::chrono::microseconds(50));
    }
}

}  // namespace trellis
