// Copies of moving numbers (moving_numbers.hpp) that follow each other at one place of another machine: the last two,
// which both ends keep, and the next one in parts.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "trellis/packing/moving_numbers.hpp"

namespace trellis {

// A part of a copy as it travels.
struct PackedPart {
    std::size_t offset, bytes;
    std::uint32_t former;                                  // of so many former copies it has been packed
    std::shared_ptr<const std::vector<std::byte>> packed;  // null: of none, the bytes are as they are
};

class DeltaBase {
  public:
    explicit DeltaBase(std::size_t bytes) : last_(bytes), before_(bytes) {}

    // The sender's side: packs a copy, which is the last from then on. anew: it has nothing to do with the former one.
    std::vector<PackedPart> pack(const NumberRecords& records, std::span<const std::byte> now, bool anew);

    // The receiver's side: a part that was packed, as it was. The bytes stay until the next copy. Throws RunError for
    // bytes that were not packed.
    std::span<const std::byte> unpack(const NumberRecords& records, std::uint32_t former,
                                      std::span<const std::byte> packed, std::size_t offset, std::size_t bytes);
    // A part of the present copy, which is the last from then on.
    void note(std::size_t offset, std::span<const std::byte> part);

    std::size_t size() const { return last_.size(); }

  private:
    FormerNumbers part(std::size_t offset, std::size_t bytes, std::uint32_t former) const;

    std::vector<std::byte> last_, before_;
    std::uint32_t known_ = 0;  // to the sender: former copies, at most two
};

// Those of all places, by number. Several threads may call at once.
class DeltaBaseCache {
  public:
    // most: bytes that all together may be kept in.
    explicit DeltaBaseCache(std::uint64_t most) : most_(most) {}
    void keep(std::uint64_t most) { most_ = most; }

    // Of a place with so many bytes; made anew if it had another number of them. Null if it would be too much. It
    // counts until the last owner is gone.
    std::shared_ptr<DeltaBase> of(std::uint64_t place, std::size_t bytes);
    void forget(std::uint64_t place);

  private:
    std::uint64_t most_;
    std::mutex mutex_;  // of all
    std::shared_ptr<std::atomic<std::uint64_t>> kept_ = std::make_shared<std::atomic<std::uint64_t>>(0);
    std::map<std::uint64_t, std::shared_ptr<DeltaBase>> all_;
};

}  // namespace trellis
