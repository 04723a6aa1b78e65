#include "trellis/ranks/sites/packet_batch.hpp"

#include <utility>

#include "trellis/packing/bytes.hpp"

namespace trellis {
namespace {

// Codes in place of the first rank of a packed destination.
constexpr int to_all = -1, to_deferred = -2;

std::vector<int> packed(const Destination& to) {
    switch (to.kind) {
        case Destination::Kind::all:
            return {to_all};
        case Destination::Kind::deferred:
            return {to_deferred, to.number};
        case Destination::Kind::ranks:
            break;
    }
    return to.ranks;
}

Destination unpacked_destination(std::vector<int> packed) {
    if (packed.front() == to_all) return {Destination::Kind::all};
    if (packed.front() == to_deferred) return {Destination::Kind::deferred, {}, packed.back()};
    return {Destination::Kind::ranks, std::move(packed)};
}

bool can_merge(const Delivery& a, const Delivery& b) {
    return a.to.kind == Destination::Kind::ranks && b.to.kind == Destination::Kind::ranks && a.from == b.from &&
           a.bytes == b.bytes;
}

}  // namespace

void PacketBatch::merge_equal() {
    std::vector<Delivery> merged;
    for (Delivery& delivery : deliveries) {
        if (merged.empty() || !can_merge(merged.back(), delivery)) {
            merged.push_back(std::move(delivery));
            continue;
        }
        std::vector<int>& ranks = merged.back().to.ranks;
        ranks.insert(ranks.end(), delivery.to.ranks.begin(), delivery.to.ranks.end());
    }
    deliveries = std::move(merged);
}

std::vector<std::byte> PacketBatch::packed() const {
    ByteWriter writer;
    writer.put(hops);
    for (const Delivery& delivery : deliveries) {
        writer.put(delivery.from);
        writer.put_counted(std::span<const int>(trellis::packed(delivery.to)));
        writer.put_counted(std::span<const std::byte>(delivery.bytes));
    }
    return writer.take();
}

PacketBatch PacketBatch::unpacked(std::span<const std::byte> bytes) {
    ByteReader reader(bytes);
    PacketBatch batch{reader.get<std::uint64_t>()};
    while (!reader.at_end()) {
        const int from = reader.get<int>();
        auto to = unpacked_destination(reader.get_counted<int>());
        const auto part = reader.get_part();
        batch.deliveries.emplace_back(from, std::move(to), std::vector(part.begin(), part.end()));
    }
    return batch;
}

}  // namespace trellis
