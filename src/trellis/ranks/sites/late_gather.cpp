#include "trellis/ranks/sites/late_gather.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "trellis/ranks/sites/site_exchange.hpp"

namespace trellis {

LateGather::LateGather(const SiteComm& comm) : members_(comm.members()), number_(++members_->last_telling) {}

LateGather::~LateGather() { members_->tellings.erase(number_); }

void LateGather::tell(std::span<const std::byte> own) {
    members_->tellings[number_] = {.own = {own.begin(), own.end()}};
}

bool LateGather::told() const { return members_->tellings.contains(number_); }

std::vector<Message> LateGather::heard() {
    Telling& telling = members_->tellings.at(number_);
    if (!telling.sent) SiteExchange(members_, {}).finish();
    if (telling.heard.size() != static_cast<std::size_t>(members_->size()))
        throw std::logic_error("the exchange that carries what ranks tell is not finished");
    auto heard = std::move(telling.heard);
    members_->tellings.erase(number_);
    std::ranges::sort(heard, {}, &Message::rank);
    return heard;
}

}  // namespace trellis
