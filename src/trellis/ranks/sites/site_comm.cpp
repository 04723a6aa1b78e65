#include "trellis/ranks/sites/site_comm.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "trellis/base/error.hpp"
#include "trellis/packing/bytes.hpp"
#include "trellis/ranks/comm/collective.hpp"
#include "trellis/ranks/comm/mail.hpp"
#include "trellis/ranks/sites/site_deferred_gather.hpp"
#include "trellis/ranks/sites/site_exchange.hpp"

namespace trellis {
namespace {

// The communicator of those ranks of the run; here: those of them that are on this site.
std::shared_ptr<SiteComm> make(std::shared_ptr<SiteRouter> router, std::uint64_t number, std::vector<int> ranks,
                               const std::shared_ptr<Comm>& here) {
    const auto members = std::make_shared<SiteGroup>();
    const Sites& sites = router->sites();
    for (std::size_t k = 0; k < ranks.size(); ++k) {
        const bool first = k == 0 || sites.site_of(ranks[k]) != sites.site_of(ranks[k - 1]);
        if (first) members->heads.push_back(static_cast<int>(k));
        if (ranks[k] != router->rank()) continue;
        members->rank = static_cast<int>(k);
    }
    members->heads.push_back(static_cast<int>(ranks.size()));
    members->site = members->site_of(members->rank);
    members->gathering = here->split(0);
    members->spreading = here->split(0);
    members->number = number;
    members->ranks = std::move(ranks);
    router->last_comm = number;
    members->router = std::move(router);
    return std::make_shared<SiteComm>(members);
}

// Messages within a site carry the trips of who sent them at their end.
std::vector<std::byte> with_trips(std::span<const std::byte> bytes, std::uint64_t trips) {
    ByteWriter writer;
    writer.put(bytes);
    writer.put(trips);
    return writer.take();
}

std::uint64_t without_trips(std::vector<std::byte>& bytes) {
    std::uint64_t trips;
    std::memcpy(&trips, bytes.data() + bytes.size() - sizeof trips, sizeof trips);
    bytes.resize(bytes.size() - sizeof trips);
    return trips;
}

}  // namespace

std::shared_ptr<SiteComm> SiteComm::join(const std::shared_ptr<Comm>& within, std::vector<std::shared_ptr<Link>> links,
                                         Sites sites) {
    auto router = std::make_shared<SiteRouter>(within, std::move(links), std::move(sites));
    std::vector<int> all(static_cast<std::size_t>(router->sites().begins.back()));
    for (std::size_t k = 0; k < all.size(); ++k) all[k] = static_cast<int>(k);
    return make(std::move(router), 0, std::move(all), within);
}

std::unique_ptr<Exchange> SiteComm::begin_exchange(std::vector<Message> messages) {
    for (const Message& message : messages)
        if (message.rank != rank()) count(1, message.bytes.size());
    return std::make_unique<SiteExchange>(group_, std::move(messages));
}

void SiteComm::send(int to, std::span<const std::byte> bytes) {
    if (to == rank()) return alone_->send(0, bytes);
    count(1, bytes.size());
    SiteRouter& router = *group_->router;
    if (group_->is_here(to))
        mail_of(*group_->gathering).post(to - group_->head(), with_trips(bytes, router.traffic.trips));
    else
        router.send(group_->in_run(to), {group_->number, 0}, router.traffic.trips, {bytes.begin(), bytes.end()},
                    router.part);
}

std::vector<std::byte> SiteComm::receive(int from) {
    if (from == rank()) return alone_->receive(0);
    SiteRouter& router = *group_->router;
    std::uint64_t trips = 0;
    std::vector<std::byte> bytes;
    if (group_->is_here(from)) {
        Mail& mail = mail_of(*group_->gathering);
        router.wait_until([&] {
            auto found = mail.take(from - group_->head());
            if (!found) return false;
            bytes = std::move(*found);
            return true;
        });
        trips = without_trips(bytes);
    } else {
        bool at_once = true;
        const auto take = [&] {
            auto packet = router.take(group_->in_run(from), {group_->number, 0});
            if (!packet) return at_once = false;
            trips = packet->trips;
            bytes = std::move(packet->bytes);
            return true;
        };
        router.wait_for_sites_until(take, router.part);
        if (!at_once) ++router.traffic.visible;
    }
    router.traffic.trips = std::max(router.traffic.trips, trips);
    return bytes;
}

// Each site's values go to the other sites once.
std::unique_ptr<Exchange> SiteComm::begin_all_gather(std::span<const std::byte> own) {
    count(static_cast<std::size_t>(size()) - 1, own.size());
    std::vector<Message> to_all;
    to_all.push_back({SiteExchange::everyone, {own.begin(), own.end()}});
    return std::make_unique<SiteExchange>(group_, std::move(to_all));
}

std::vector<std::byte> SiteComm::all_gather(std::span<const std::byte> own) {
    return joined_bytes(begin_all_gather(own)->finish());
}

std::unique_ptr<DeferredGather> SiteComm::make_deferred_gather() {
    return std::make_unique<SiteDeferredGather>(group_);
}

void SiteComm::abort(const std::string& why, int code) {
    group_->router->tell_end(why);
    group_->gathering->abort(why, code);
    throw RunError(why);  // abort does not return
}

void SiteComm::close() {
    all_gather({});
    group_->router->close();
}

// The number is greater than that of any communicator to which one of the ranks belongs.
std::shared_ptr<Comm> SiteComm::part(int colour) {
    struct Choice {
        std::uint64_t last;
        int colour;
    };
    const auto choices = trellis::all_gather(*this, Choice{group_->router->last_comm, colour});
    const auto last = std::ranges::max(choices, {}, &Choice::last).last;
    std::vector<int> ranks;
    for (int member = 0; member < size(); ++member)
        if (choices[static_cast<std::size_t>(member)].colour == colour) ranks.push_back(group_->in_run(member));
    return make(group_->router, last + 1, std::move(ranks), group_->gathering->split(colour));
}

std::shared_ptr<Comm> SiteComm::part_on_site() {
    if (!spans_sites()) return nullptr;
    if (!on_site_) on_site_ = split(static_cast<int>(group_->site));
    return on_site_;
}

double SiteComm::site_speed() const { return sites().speeds.empty() ? 1 : sites().speeds[sites().own]; }

TrafficClass SiteComm::set_traffic_class(TrafficClass traffic_class) {
    return std::exchange(group_->router->part, traffic_class);
}

}  // namespace trellis
