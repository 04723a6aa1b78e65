#include "trellis/packing/delta_base_cache.hpp"

#include <algorithm>

#include "trellis/base/parallel.hpp"

namespace trellis {

namespace {

constexpr std::size_t part_bytes = 256 << 10;  // about

}  // namespace

std::vector<PackedPart> DeltaBase::pack(const NumberRecords& records, std::span<const std::byte> now, bool restart) {
    if (restart) known_ = 0;
    const std::size_t length = std::max<std::size_t>(1, part_bytes / records.bytes()) * records.bytes();
    std::vector<PackedPart> parts;
    for (std::size_t begin = 0; begin < now.size(); begin += length)
        parts.push_back({begin, std::min(length, now.size() - begin), known_, nullptr});
    parallel_tasks(parts.size(), [&](std::size_t k, int) {
        PackedPart& each = parts[k];
        const auto bytes = now.subspan(each.offset, each.bytes);
        if (known_ > 0) {
            ByteWriter out;
            pack_moving(records, bytes, part(each.offset, each.bytes, known_), out);
            each.packed = std::make_shared<const std::vector<std::byte>>(out.take());
        }
        note(each.offset, bytes);
    });
    known_ = std::min(known_ + 1, 2U);
    return parts;
}

std::span<const std::byte> DeltaBase::unpack(const NumberRecords& records, std::uint32_t former,
                                             std::span<const std::byte> packed, std::size_t offset, std::size_t bytes) {
    std::vector<std::byte> now(bytes);
    ByteReader in(packed);
    unpack_moving(in, records, part(offset, bytes, former), now);
    note(offset, now);
    return std::span(last_).subspan(offset, bytes);
}

void DeltaBase::note(std::size_t offset, std::span<const std::byte> part) {
    std::copy_n(last_.data() + offset, part.size(), before_.data() + offset);
    std::copy_n(part.data(), part.size(), last_.data() + offset);
}

FormerNumbers DeltaBase::part(std::size_t offset, std::size_t bytes, std::uint32_t former) const {
    const auto of = [&](const std::vector<std::byte>& copy) { return std::span(copy).subspan(offset, bytes); };
    return {of(last_), former > 1 ? of(before_) : std::span<const std::byte>()};
}

std::shared_ptr<DeltaBase> DeltaBaseCache::of(std::uint64_t place, std::size_t bytes) {
    const std::scoped_lock lock(mutex_);
    std::shared_ptr<DeltaBase>& copy = all_[place];
    if (copy != nullptr && copy->size() == bytes) return copy;
    copy = nullptr;
    if (bytes > (most_ - *kept_) / 2) return nullptr;
    *kept_ += 2 * bytes;
    copy = {new DeltaBase(bytes), [kept = kept_](DeltaBase* gone) {
                *kept -= 2 * gone->size();
                delete gone;
            }};
    return copy;
}

void DeltaBaseCache::forget(std::uint64_t place) {
    const std::scoped_lock lock(mutex_);
    all_.erase(place);
}

}  // namespace trellis
