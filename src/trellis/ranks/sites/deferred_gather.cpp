#include "trellis/ranks/sites/deferred_gather.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "trellis/ranks/sites/site_exchange.hpp"

namespace trellis {

DeferredGather::DeferredGather(const SiteComm& comm) : group_(comm.members()), number_(++group_->last_telling) {}

DeferredGather::~DeferredGather() { group_->tellings.erase(number_); }

void DeferredGather::tell(std::span<const std::byte> own) {
    group_->tellings[number_] = {.own = {own.begin(), own.end()}};
}

bool DeferredGather::told() const { return group_->tellings.contains(number_); }

std::vector<Message> DeferredGather::heard() {
    Telling& telling = group_->tellings.at(number_);
    if (!telling.sent) SiteExchange(group_, {}).finish();
    if (telling.heard.size() != static_cast<std::size_t>(group_->size()))
        throw std::logic_error("the exchange that carries what ranks tell is not finished");
    auto heard = std::move(telling.heard);
    group_->tellings.erase(number_);
    std::ranges::sort(heard, {}, &Message::rank);
    return heard;
}

}  // namespace trellis
