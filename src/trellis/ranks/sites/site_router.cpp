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
constexpr std::uint64_t end_of_run = ~std::uint64_t{0}, close_notice = end_of_run - 1;  // in place of a communicator

// A packet without its bytes, which follow it.
struct Envelope {
    Channel channel;
    int from, to;
    std::uint64_t trips;
};

std::vector<std::byte> packed(const Packet& packet) {
    const Envelope envelope{packet.channel, packet.from, packet.to, packet.trips};
    std::vector<std::byte> all(sizeof envelope + packet.bytes.size());
    std::memcpy(all.data(), &envelope, sizeof envelope);
    std::ranges::copy(packet.bytes, all.begin() + sizeof envelope);
    return all;
}

Packet unpacked(std::span<const std::byte> bytes) {
    ByteReader reader(bytes);
    const auto envelope = reader.get<Envelope>();
    const auto rest = bytes.subspan(sizeof envelope);
    return {envelope.channel, envelope.from, envelope.to, envelope.trips, {rest.begin(), rest.end()}};
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

std::size_t Sites::site_of(int rank) const {
    return static_cast<std::size_t>(std::ranges::upper_bound(begins, rank) - begins.begin()) - 1;
}

SiteRouter::SiteRouter(const std::shared_ptr<Comm>& within, std::vector<std::shared_ptr<Link>> links, Sites sites)
    : within_(within->split(0)), links_(std::move(links)), left_(sites.size(), false), sites_(std::move(sites)) {
    begin();
    rank_ = sites_.gateway() + within_->rank();
}

// All learn how many ranks each site has.
void SiteRouter::begin() {
    std::vector<int> counts(sites_.size(), within_->size());
    if (is_gateway()) {
        if (links_.size() != sites_.size())
            throw InputError("there are " + std::to_string(links_.size()) + " links for " +
                             std::to_string(sites_.size()) + " sites: needed is one for each, empty for this one");
        const int here = within_->size();
        const std::vector<std::byte> own(bytes_of(here).begin(), bytes_of(here).end());
        for (const auto& link : links_)
            if (link) link->send(beginning, own);
        for (std::size_t site = 0; site < links_.size(); ++site)
            if (links_[site]) counts[site] = value_of<int>(links_[site]->receive(beginning));
    }
    const auto bytes = std::as_bytes(std::span(counts));
    const auto heard = broadcast(*within_, {bytes.begin(), bytes.end()});
    ByteReader(heard).get(std::span(counts));
    sites_.begins.assign(1, 0);
    for (const int count : counts) sites_.begins.push_back(sites_.begins.back() + count);
}

SiteRouter::~SiteRouter() {
    if (closed_) return;
    try {
        tell_end("it has ended before the others");
    } catch (const std::exception&) {  // then the links break off, and the other sites find it dead
        closed_ = true;
    }
}

ClassTraffic WideTraffic::all() const {
    ClassTraffic sum;
    for (const auto& [messages, bytes, waiting] : parts)
        sum = {sum.messages + messages, sum.bytes + bytes, sum.waiting + waiting};
    return sum;
}

void SiteRouter::send(int to, Channel channel, std::uint64_t trips, std::vector<std::byte> bytes, TrafficClass part) {
    throw_if_ended();
    ++traffic.part(part).messages;
    traffic.part(part).bytes += bytes.size();
    Packet packet{channel, rank_, to, trips + 1, std::move(bytes)};
    if (!is_gateway()) return post(0, packet);
    try {
        pass_on(std::move(packet));
    } catch (const RunError& error) {
        hear_end();
        tell_end(error.what());
        throw_if_ended();
    }
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
        collect_from_site();
        collect_from_links();
        throw_if_ended();
        for (auto step = steps_.begin(); step != steps_.end();) (step++)->second();  // a step may remove itself
    } catch (const RunError& error) {
        hear_end();
        tell_end(error.what());
        moving_ = false;
        throw_if_ended();
    }
    moving_ = false;
}

void SiteRouter::collect_from_site() {
    if (within_->size() == 1) return;
    Mail& mail = mail_of(*within_);
    const int first = is_gateway() ? 1 : 0, end = is_gateway() ? within_->size() : 1;
    for (int local = first; local < end; ++local)
        while (auto bytes = mail.take(local)) pass_on(unpacked(*bytes));
}

void SiteRouter::collect_from_links() {
    for (std::size_t site = 0; site < links_.size(); ++site)
        while (links_[site] && !left_[site] && ended_.empty()) {
            const auto bytes = links_[site]->take(packets);
            if (!bytes) break;
            Packet packet = unpacked(*bytes);
            if (packet.channel.comm == close_notice)
                left_[site] = true;
            else
                pass_on(std::move(packet));
        }
}

// Why the run has ended, if a packet says so: a link that fails may do so only because of that.
void SiteRouter::hear_end() {
    for (const auto& link : links_) {
        if (!link || !ended_.empty()) continue;
        try {
            while (const auto bytes = link->take(packets))
                if (Packet packet = unpacked(*bytes); packet.channel.comm == end_of_run) deliver(std::move(packet));
        } catch (const RunError&) {
            continue;  // the link that has failed
        }
    }
}

// On a gateway, to where the packet goes; on other ranks, all packets are their own.
void SiteRouter::pass_on(Packet packet) {
    if (!is_gateway() || packet.to == rank_) return deliver(std::move(packet));
    const std::size_t site = sites_.site_of(packet.to);
    if (site == sites_.own)
        post(packet.to - sites_.gateway(), packet);
    else
        send_to(site, packet);
}

// Perhaps by way of a third site, which passes it on. While a link has no room, this rank takes what has come: two
// sites that both send would wait for each other else.
void SiteRouter::send_to(std::size_t site, const Packet& packet) {
    if (const auto relay = sites_.relays.find(site); relay != sites_.relays.end()) site = relay->second;
    while (!links_[site]->has_room()) {
        collect_from_links();
        throw_if_ended();
        std::this_thread::sleep_for(std::chrono::microseconds(50));
    }
    links_[site]->send(packets, packed(packet));
}

// The time since the last call is one of waiting, or of work beside what is under way, or neither.
void SiteRouter::count_time() {
    const auto now = std::chrono::steady_clock::now();
    const double seconds = std::chrono::duration<double>(now - std::exchange(counted_, now)).count();
    if (waiting_)
        traffic.part(*waiting_).waiting += seconds;
    else if (expected_ > 0)
        traffic.hidden += seconds;
}

void SiteRouter::deliver(Packet packet) {
    if (packet.channel.comm == end_of_run) {
        ended_ = text_of(packet.bytes);
        heard_ = !is_gateway() || sites_.site_of(packet.from) != sites_.own;
        return;
    }
    const std::tuple key{packet.from, packet.channel};
    inbox_[key].push_back(std::move(packet));
}

void SiteRouter::post(int local, const Packet& packet) { mail_of(*within_).post(local, packed(packet)); }

void SiteRouter::throw_if_ended() const {
    if (!ended_.empty()) throw RunError(ended_);
}

void SiteRouter::tell_end(const std::string& why) {
    if (std::exchange(told_, true)) return;
    closed_ = true;
    if (ended_.empty()) ended_ = why;
    const std::string told = heard_ ? ended_ : "the site " + sites_.names[sites_.own] + " has ended the run: " + ended_;
    const auto tell = [&](const auto& way) {
        try {
            way();
        } catch (const RunError&) {
            return;  // dead: the others are still told
        }
    };
    if (!is_gateway()) {
        if (!heard_) tell([&] { post(0, {{end_of_run, 0}, rank_, sites_.gateway(), 0, bytes_of_text(why)}); });
        return;
    }
    for (int local = 1; local < within_->size(); ++local)
        tell([&] { post(local, {{end_of_run, 0}, rank_, rank_ + local, 0, bytes_of_text(ended_)}); });
    for (std::size_t site = 0; site < links_.size(); ++site)
        if (links_[site] && !left_[site])
            tell([&] {
                links_[site]->send(packets,
                                   packed({{end_of_run, 0}, rank_, sites_.begins[site], 0, bytes_of_text(told)}));
                links_[site]->close();
            });
}

void SiteRouter::close() {
    if (std::exchange(closed_, true)) return;
    for (std::size_t site = 0; site < links_.size(); ++site)
        if (links_[site]) {
            try {
                links_[site]->send(packets, packed({{close_notice, 0}, rank_, sites_.begins[site], 0, {}}));
            } catch (const RunError&) {
                left_[site] = true;  // it has closed the link already
            }
            links_[site]->close();
        }
}

}  // namespace trellis
