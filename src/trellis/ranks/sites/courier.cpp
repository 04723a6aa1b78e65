#include "trellis/ranks/sites/courier.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "trellis/base/error.hpp"
#include "trellis/packing/bytes.hpp"
#include "trellis/ranks/comm/collective.hpp"
#include "trellis/ranks/comm/mail.hpp"

namespace trellis {
namespace {

constexpr LinkTag letters = 1, beginning = 2;
constexpr std::uint64_t end_of_run = ~std::uint64_t{0}, farewell = end_of_run - 1;  // in place of a communicator

// A letter without its bytes, which follow it.
struct Envelope {
    Purpose purpose;
    int from, to;
    std::uint64_t trips;
};

std::vector<std::byte> packed(const Letter& letter) {
    const Envelope envelope{letter.purpose, letter.from, letter.to, letter.trips};
    std::vector<std::byte> all(sizeof envelope + letter.bytes.size());
    std::memcpy(all.data(), &envelope, sizeof envelope);
    std::ranges::copy(letter.bytes, all.begin() + sizeof envelope);
    return all;
}

Letter unpacked(std::span<const std::byte> bytes) {
    ByteReader reader(bytes);
    const auto envelope = reader.get<Envelope>();
    const auto rest = bytes.subspan(sizeof envelope);
    return {envelope.purpose, envelope.from, envelope.to, envelope.trips, {rest.begin(), rest.end()}};
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

Courier::Courier(const std::shared_ptr<Comm>& within, std::vector<std::shared_ptr<Link>> links, Sites sites)
    : within_(within->split(0)), links_(std::move(links)), left_(sites.size(), false), sites_(std::move(sites)) {
    begin();
    rank_ = sites_.gateway() + within_->rank();
}

// All learn how many ranks each site has.
void Courier::begin() {
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

Courier::~Courier() {
    if (closed_) return;
    try {
        tell_end("it has ended before the others");
    } catch (const std::exception&) {  // then the links break off, and the other sites find it dead
        closed_ = true;
    }
}

PartTraffic WideTraffic::all() const {
    PartTraffic sum;
    for (const auto& [messages, bytes, waiting] : parts)
        sum = {sum.messages + messages, sum.bytes + bytes, sum.waiting + waiting};
    return sum;
}

void Courier::send(int to, Purpose purpose, std::uint64_t trips, std::vector<std::byte> bytes, PartOfStep part) {
    throw_if_ended();
    ++traffic.part(part).messages;
    traffic.part(part).bytes += bytes.size();
    Letter letter{purpose, rank_, to, trips + 1, std::move(bytes)};
    if (!is_gateway()) return post(0, letter);
    try {
        pass_on(std::move(letter));
    } catch (const RunError& error) {
        hear_end();
        tell_end(error.what());
        throw_if_ended();
    }
}

std::optional<Letter> Courier::take(int from, Purpose purpose) {
    const auto found = inbox_.find({from, purpose});
    if (found == inbox_.end()) return std::nullopt;
    Letter letter = std::move(found->second.front());
    found->second.pop_front();
    if (found->second.empty()) inbox_.erase(found);
    return letter;
}

void Courier::move_along() {
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

void Courier::collect_from_site() {
    if (within_->size() == 1) return;
    Mail& mail = mail_of(*within_);
    const int first = is_gateway() ? 1 : 0, end = is_gateway() ? within_->size() : 1;
    for (int local = first; local < end; ++local)
        while (auto bytes = mail.take(local)) pass_on(unpacked(*bytes));
}

void Courier::collect_from_links() {
    for (std::size_t site = 0; site < links_.size(); ++site)
        while (links_[site] && !left_[site] && ended_.empty()) {
            const auto bytes = links_[site]->take(letters);
            if (!bytes) break;
            Letter letter = unpacked(*bytes);
            if (letter.purpose.comm == farewell)
                left_[site] = true;
            else
                pass_on(std::move(letter));
        }
}

// Why the run has ended, if a letter says so: a link that fails may do so only because of that.
void Courier::hear_end() {
    for (const auto& link : links_) {
        if (!link || !ended_.empty()) continue;
        try {
            while (const auto bytes = link->take(letters))
                if (Letter letter = unpacked(*bytes); letter.purpose.comm == end_of_run) deliver(std::move(letter));
        } catch (const RunError&) {
            continue;  // the link that has failed
        }
    }
}

// On a gateway, to where the letter goes; on other ranks, all letters are their own.
void Courier::pass_on(Letter letter) {
    if (!is_gateway() || letter.to == rank_) return deliver(std::move(letter));
    const std::size_t site = sites_.site_of(letter.to);
    if (site == sites_.own)
        post(letter.to - sites_.gateway(), letter);
    else
        send_to(site, letter);
}

// Perhaps by way of a third site, which passes it on. While a link has no room, this rank takes what has come: two
// sites that both send would wait for each other else.
void Courier::send_to(std::size_t site, const Letter& letter) {
    if (const auto relay = sites_.relays.find(site); relay != sites_.relays.end()) site = relay->second;
    while (!links_[site]->has_room()) {
        collect_from_links();
        throw_if_ended();
        std::this_thread::sleep_for(std::chrono::microseconds(50));
    }
    links_[site]->send(letters, packed(letter));
}

// The time since the last call is one of waiting, or of work beside what is under way, or neither.
void Courier::count_time() {
    const auto now = std::chrono::steady_clock::now();
    const double seconds = std::chrono::duration<double>(now - std::exchange(counted_, now)).count();
    if (waiting_)
        traffic.part(*waiting_).waiting += seconds;
    else if (expected_ > 0)
        traffic.hidden += seconds;
}

void Courier::deliver(Letter letter) {
    if (letter.purpose.comm == end_of_run) {
        ended_ = text_of(letter.bytes);
        heard_ = !is_gateway() || sites_.site_of(letter.from) != sites_.own;
        return;
    }
    const std::tuple key{letter.from, letter.purpose};
    inbox_[key].push_back(std::move(letter));
}

void Courier::post(int local, const Letter& letter) { mail_of(*within_).post(local, packed(letter)); }

void Courier::throw_if_ended() const {
    if (!ended_.empty()) throw RunError(ended_);
}

void Courier::tell_end(const std::string& why) {
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
                links_[site]->send(letters,
                                   packed({{end_of_run, 0}, rank_, sites_.begins[site], 0, bytes_of_text(told)}));
                links_[site]->close();
            });
}

void Courier::close() {
    if (std::exchange(closed_, true)) return;
    for (std::size_t site = 0; site < links_.size(); ++site)
        if (links_[site]) {
            try {
                links_[site]->send(letters, packed({{farewell, 0}, rank_, sites_.begins[site], 0, {}}));
            } catch (const RunError&) {
                left_[site] = true;  // it has closed the link already
            }
            links_[site]->close();
        }
}

}  // namespace trellis
