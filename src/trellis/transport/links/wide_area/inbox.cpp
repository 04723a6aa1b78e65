#include "trellis/transport/links/wide_area/inbox.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace trellis {

namespace {

constexpr std::uint64_t reserved_at_most = 256 << 20;  // bytes of a message whose length alone is known

// Adds `number`, and advances `last` to the end of the numbers without a gap.
void advance(std::uint64_t& last, std::set<std::uint64_t>& ahead, std::uint64_t number) {
    ahead.insert(number);
    while (!ahead.empty() && *ahead.begin() == last + 1) {
        ahead.erase(ahead.begin());
        ++last;
    }
}

}  // namespace

// Checks the number of a chunk. Returns false if the chunk has arrived before.
bool Inbox::note(std::uint64_t number, const ChunkHeader& header, std::uint64_t bytes) {
    if (number == 0) throw TransportError("a chunk has no number");
    if (number <= received_ || received_ahead_.contains(number)) return false;
    if (arrived_ + cost_of(bytes) > granted_) throw TransportError("it sends more bytes than it was granted");
    // each message has at least one chunk, so its number is not larger than the chunk's
    if (header.message == 0 || header.message > number || header.after >= header.message || finished(header.message))
        throw TransportError("a chunk has an impossible number");
    return true;
}

// The bytes granted and not yet arrived limit how far ahead of a message's other chunks this one may lie.
void Inbox::check(const Message& message, const ChunkHeader& header, std::uint64_t bytes) const {
    const ChunkHeader& first = message.header;
    if (header.tag != first.tag || header.total != first.total || header.after != first.after)
        throw TransportError("two chunks of a message have different headers");
    const bool fits = header.total >= bytes && header.offset <= header.total - bytes &&
                      header.offset <= message.arrived + (granted_ - arrived_);
    if (!fits || (bytes == 0 && header.total > 0)) throw TransportError("a chunk lies outside of its message");
}

void Inbox::put(std::uint64_t number, const ChunkHeader& header, std::span<const std::byte> data) {
    if (!note(number, header, data.size())) return;
    const auto [found, is_new] = partial_.try_emplace(header.message);
    Message& message = found->second;
    if (is_new) message.header = header;
    check(message, header, data.size());
    if (is_new) message.bytes.reserve(std::min(header.total, reserved_at_most));
    if (message.bytes.size() < header.offset + data.size()) message.bytes.resize(header.offset + data.size());
    if (!data.empty()) std::memcpy(message.bytes.data() + header.offset, data.data(), data.size());
    message.arrived += data.size();
    message.cost += cost_of(data.size());
    arrived_ += cost_of(data.size());
    advance(received_, received_ahead_, number);
    if (message.arrived > header.total || (message.arrived == header.total && message.bytes.size() < header.total))
        throw TransportError("two chunks of a message overlap");
    if (message.arrived == header.total) {
        if (header.after == 0 || finished(header.after))
            finish(header.message);
        else if (!behind_.try_emplace(header.after, header.message).second)
            throw TransportError("two messages follow the same one");
    }
    grant();
}

void Inbox::put_close(std::uint64_t number, const ChunkHeader& header) {
    if (!note(number, header, 0)) return;
    if (close_notice_ != 0) throw TransportError("it sends two close notices");
    close_notice_ = number;
    arrived_ += cost_of(0);
    taken_ += cost_of(0);
    advance(finished_, finished_ahead_, header.message);
    advance(received_, received_ahead_, number);
    grant();
}

// Makes a message available whose predecessors are, and then the complete ones that have waited for it.
void Inbox::finish(std::uint64_t number) {
    while (true) {
        const auto found = partial_.find(number);
        Message& message = found->second;
        ready_[message.header.tag].push_back({std::move(message.bytes), message.cost});
        partial_.erase(found);
        advance(finished_, finished_ahead_, number);
        const auto next = behind_.find(number);
        if (next == behind_.end()) return;
        number = next->second;
        behind_.erase(next);
    }
}

std::optional<std::vector<std::byte>> Inbox::take(LinkTag tag) {
    const auto found = ready_.find(tag);
    missed_ = found == ready_.end();
    if (missed_) {
        grant();
        return std::nullopt;
    }
    Ready first = std::move(found->second.front());
    found->second.pop_front();
    if (found->second.empty()) ready_.erase(found);
    taken_ += first.cost;
    grant();
    return std::move(first.bytes);
}

void Inbox::begin_wait() {
    ++waiting_;
    grant();
}

// While a caller waits, everything that has arrived counts as taken: the message that it waits for may be queued at the
// peer behind messages that no caller takes yet.
void Inbox::grant() {
    const bool wanted = missed_ || waiting_ > 0;
    granted_ = std::max(granted_, (wanted ? arrived_ : taken_) + memory_);
}

}  // namespace trellis
