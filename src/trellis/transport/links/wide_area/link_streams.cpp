#include "trellis/transport/links/wide_area/link_streams.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace trellis {

namespace {

// The rate of one stream exceeds its share by this factor, to make up for streams that are slower.
constexpr double stream_share = 1.5;

}  // namespace

void LinkStreams::add(const asio::any_io_executor& executor, std::shared_ptr<Stream> stream, bool opened_here,
                      std::shared_ptr<LinkStreamUser> user) {
    if (streams_.empty()) opened_here_ = opened_here;
    const auto added = std::make_shared<LinkStream>(executor, std::move(stream), ++last_number_, std::move(user));
    streams_[last_number_] = added;
    rate_of_each_ = std::numeric_limits<std::uint64_t>::max();  // to be set again
    added->start();
}

bool LinkStreams::remove(std::uint64_t number) {
    const auto found = streams_.find(number);
    if (found == streams_.end()) return false;
    found->second->close();
    streams_.erase(found);
    return true;
}

void LinkStreams::close_all() {
    for (const auto& [number, stream] : std::exchange(streams_, {})) stream->close();
}

void LinkStreams::wake_all() {
    for (const auto& [number, stream] : streams_) stream->wake();
}

void LinkStreams::wake_next_idle() {
    auto next = streams_.upper_bound(last_woken_);
    for (std::size_t k = 0; k < streams_.size(); ++k, ++next) {
        if (next == streams_.end()) next = streams_.begin();
        if (!next->second->idle()) continue;
        last_woken_ = next->first;
        return next->second->wake();
    }
}

void LinkStreams::send_heartbeat() {
    if (!streams_.empty()) streams_.begin()->second->heartbeat(false);
}

void LinkStreams::send_heartbeats(bool asks) {
    for (const auto& [number, stream] : streams_) stream->heartbeat(asks);
}

void LinkStreams::limit_rate(std::uint64_t rate) {
    if (streams_.empty()) return;
    const double share = stream_share * static_cast<double>(rate) / static_cast<double>(streams_.size());
    const std::uint64_t each = rate == 0 ? 0 : std::max<std::uint64_t>(static_cast<std::uint64_t>(share), 1);
    if (each == rate_of_each_) return;
    rate_of_each_ = each;
    for (const auto& [number, stream] : streams_) stream->limit_rate(each);
}

std::vector<std::uint64_t> LinkStreams::silent(Clock::time_point now, Clock::duration longest) const {
    std::vector<std::uint64_t> numbers;
    for (const auto& [number, stream] : streams_)
        if (stream->silence(now) > longest) numbers.push_back(number);
    return numbers;
}

std::uint64_t LinkStreams::delivered() {
    for (const auto& [number, stream] : streams_) delivered_ += stream->newly_delivered();
    return delivered_;
}

}  // namespace trellis
