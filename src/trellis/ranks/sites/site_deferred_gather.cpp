#include "trellis/ranks/sites/site_deferred_gather.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "trellis/ranks/sites/site_exchange.hpp"

namespace trellis {

SiteDeferredGather::SiteDeferredGather(std::shared_ptr<SiteGroup> group)
    : group_(std::move(group)), number_(++group_->last_deferred) {}

SiteDeferredGather::~SiteDeferredGather() { group_->deferred.erase(number_); }

void SiteDeferredGather::post(std::span<const std::byte> own) {
    group_->deferred[number_] = {.own = {own.begin(), own.end()}};
}

bool SiteDeferredGather::pending() const { return group_->deferred.contains(number_); }

std::vector<Message> SiteDeferredGather::collect() {
    Deferred& deferred = group_->deferred.at(number_);
    if (!deferred.sent) SiteExchange(group_, {}).finish();
    if (deferred.received.size() != static_cast<std::size_t>(group_->size()))
        throw std::logic_error("the exchange that carries a deferred gather is not finished");
    auto received = std::move(deferred.received);
    group_->deferred.erase(number_);
    std::ranges::sort(received, {}, &Message::rank);
    return received;
}

}  // namespace trellis
