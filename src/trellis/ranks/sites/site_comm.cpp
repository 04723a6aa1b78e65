#include "trellis/ranks/sites/site_comm.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <utility>

#include "trellis/base/error.hpp"
#include "trellis/packing/bytes.hpp"
#include "trellis/ranks/comm/collective.hpp"
#include "trellis/ranks/comm/mail.hpp"
#include "trellis/ranks/sites/site_deferred_gather.hpp"
#include "trellis/ranks/sites/site_exchange.hpp"

namespace trellis {
namespace {

// Messages within a site end with the hops of their sender.
std::vector<std::byte> with_hops(std::span<const std::byte> bytes, std::uint64_t hops) {
    ByteWriter writer;
    writer.put(bytes);
    writer.put(hops);
    return writer.take();
}

std::uint64_t without_hops(std::vector<std::byte>& bytes) {
    std::uint64_t hops;
    std::memcpy(&hops, bytes.data() + bytes.size() - sizeof hops, sizeof hops);
    bytes.resize(bytes.size() - sizeof hops);
    return hops;
}

}  // namespace

std::shared_ptr<SiteComm> SiteComm::join(const std::shared_ptr<Comm>& within, std::vector<std::shared_ptr<Link>> links,
                                         Sites sites) {
    auto router = std::make_shared<SiteRouter>(within, std::move(links), std::move(sites));
    std::vector<int> all(static_cast<std::size_t>(router->sites().begins.back()));
    std::iota(all.begin(), all.end(), 0);
    return std::make_shared<SiteComm>(std::make_shared<SiteGroup>(std::move(router), 0, std::move(all), within));
}

std::unique_ptr<Exchange> SiteComm::begin_exchange(std::vector<Message> messages) {
    std::vector<Delivery> deliveries;
    deliveries.reserve(messages.size());
    for (Message& message : messages) {
        if (message.rank != rank()) count(1, message.bytes.size());
        deliveries.emplace_back(rank(), Destination{Destination::Kind::ranks, {message.rank}},
                                std::move(message.bytes));
    }
    return std::make_unique<SiteExchange>(group_, std::move(deliveries));
}

void SiteComm::send(int to, std::span<const std::byte> bytes) {
    if (to == rank()) return alone_->send(0, bytes);
    count(1, bytes.size());
    SiteRouter& router = *group_->router;
    if (group_->is_here(to))
        mail_of(*group_->gathering).post(to - group_->head(), with_hops(bytes, router.hops()));
    else
        router.send(group_->in_run(to), {group_->number, 0}, router.hops(), {bytes.begin(), bytes.end()},
                    router.traffic_class());
}

std::vector<std::byte> SiteComm::receive(int from) {
    if (from == rank()) return alone_->receive(0);
    SiteRouter& router = *group_->router;
    std::uint64_t hops = 0;
    std::vector<std::byte> bytes;
    if (group_->is_here(from)) {
        Mail& mail = mail_of(*group_->gathering);
        router.wait_until([&] {
            auto found = mail.take(from - group_->head());
            if (!found) return false;
            bytes = std::move(*found);
            return true;
        });
        hops = without_hops(bytes);
    } else {
        bool at_once = true;
        const auto take = [&] {
            auto packet = router.take(group_->in_run(from), {group_->number, 0});
            if (!packet) return at_once = false;
            hops = packet->hops;
            bytes = std::move(packet->bytes);
            return true;
        };
        router.wait_for_sites_until(take, router.traffic_class());
        if (!at_once) router.note_visible();
    }
    router.note_hops(hops);
    return bytes;
}

// The values of each site travel to each other site once.
std::unique_ptr<Exchange> SiteComm::begin_all_gather(std::span<const std::byte> own) {
    count(static_cast<std::size_t>(size()) - 1, own.size());
    std::vector<Delivery> to_all;
    to_all.emplace_back(rank(), Destination{Destination::Kind::all}, std::vector(own.begin(), own.end()));
    return std::make_unique<SiteExchange>(group_, std::move(to_all));
}

std::vector<std::byte> SiteComm::all_gather(std::span<const std::byte> own) {
    return joined_bytes(begin_all_gather(own)->finish());
}

std::unique_ptr<DeferredGather> SiteComm::make_deferred_gather() {
    return std::make_unique<SiteDeferredGather>(group_);
}

void SiteComm::abort(const std::string& why, int code) {
    group_->router->notify_end(why);
    group_->gathering->abort(why, code);
    throw RunError(why);  // abort does not return
}

void SiteComm::close() {
    all_gather({});
    group_->router->close();
}

// Numbers the part beyond every communicator that one of its ranks belongs to.
std::shared_ptr<Comm> SiteComm::part(int colour) {
    struct Choice {
        std::uint64_t last;
        int colour;
    };
    const auto choices = trellis::all_gather(*this, Choice{group_->router->last_comm(), colour});
    const auto last = std::ranges::max(choices, {}, &Choice::last).last;
    std::vector<int> ranks;
    for (int member = 0; member < size(); ++member)
        if (choices[static_cast<std::size_t>(member)].colour == colour) ranks.push_back(group_->in_run(member));
    return std::make_shared<SiteComm>(
        std::make_shared<SiteGroup>(group_->router, last + 1, std::move(ranks), group_->gathering->split(colour)));
}

std::shared_ptr<Comm> SiteComm::part_on_site() {
    if (!spans_sites()) return nullptr;
    if (!on_site_) on_site_ = split(static_cast<int>(group_->site));
    return on_site_;
}

double SiteComm::site_speed() const { return sites().speeds.empty() ? 1 : sites().speeds[sites().own]; }

TrafficClass SiteComm::set_traffic_class(TrafficClass traffic_class) {
    return group_->router->set_traffic_class(traffic_class);
}

}  // namespace trellis
