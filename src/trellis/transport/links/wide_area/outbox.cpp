#include "trellis/transport/links/wide_area/outbox.hpp"

#include <algorithm>
#include <utility>

namespace trellis {

void Outbox::add(LinkTag tag, std::vector<std::byte> bytes) {
    const ChunkHeader header{++messages_, std::exchange(last_of_tag_[tag], messages_), tag, bytes.size(), 0};
    waiting_ += cost_of(bytes.size());
    uncut_.push_back(std::make_shared<const Message>(Message{FrameType::chunk, header, std::move(bytes)}));
}

void Outbox::add_close() {
    const ChunkHeader header{++messages_, 0, 0, 0, 0};
    waiting_ += cost_of(0);
    uncut_.push_back(std::make_shared<const Message>(Message{FrameType::close_notice, header, {}}));
}

std::uint64_t Outbox::length_at(const Message& message, std::uint64_t offset) const {
    return std::min<std::uint64_t>(chunk_, message.bytes.size() - offset);
}

bool Outbox::has_next() const {
    if (!again_.empty()) return true;
    return !uncut_.empty() && charged_ + cost_of(length_at(*uncut_.front(), cut_)) <= granted_;
}

std::optional<Outbox::Chunk> Outbox::next(std::uint64_t stream) {
    if (!has_next()) return std::nullopt;
    if (!again_.empty()) {
        const std::uint64_t number = *again_.begin();
        again_.erase(again_.begin());
        Sent& sent = sent_[number - received_ - 1];
        sent.stream = stream;
        return chunk_of(number, sent);
    }
    const std::shared_ptr<const Message> message = uncut_.front();
    const std::uint64_t length = length_at(*message, cut_);
    charged_ += cost_of(length);
    const bool last = cut_ + length == message->bytes.size();
    sent_.push_back({message, cut_, stream, last});
    cut_ = last ? 0 : cut_ + length;
    if (last) uncut_.pop_front();
    return chunk_of(received_ + sent_.size(), sent_.back());
}

Outbox::Chunk Outbox::chunk_of(std::uint64_t number, const Sent& sent) const {
    Chunk chunk{number, sent.message->type, sent.message->header, {}, sent.message};
    chunk.header.offset = sent.offset;
    chunk.data = std::span(sent.message->bytes).subspan(sent.offset, length_at(*sent.message, sent.offset));
    return chunk;
}

void Outbox::lose(std::uint64_t stream) {
    for (std::size_t k = 0; k < sent_.size(); ++k)
        if (sent_[k].stream == stream) again_.insert(received_ + 1 + k);
}

void Outbox::acknowledge(std::uint64_t received, std::uint64_t granted) {
    if (received > received_ + sent_.size()) throw TransportError("it acknowledges chunks that were never sent");
    granted_ = std::max(granted_, granted);
    while (received_ < received) {
        const Sent& first = sent_.front();
        if (first.last) {
            waiting_ -= cost_of(first.message->bytes.size());
            const auto tag = last_of_tag_.find(first.message->header.tag);
            if (tag != last_of_tag_.end() && tag->second == first.message->header.message) last_of_tag_.erase(tag);
        }
        sent_.pop_front();
        again_.erase(++received_);
    }
}

}  // namespace trellis
