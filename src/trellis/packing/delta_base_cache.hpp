// Successive copies of moving numbers (moving_numbers.hpp) that are uploaded to one place of another machine. Both ends
// keep the last two copies, and the next one travels in parts.
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

// A part of a copy as it is sent.
struct PackedPart {
    std::size_t offset, bytes;
    std::uint32_t former;                                  // number of former copies that it was packed with
    std::shared_ptr<const std::vector<std::byte>> packed;  // null if former is 0: the bytes travel unpacked
};

// The last two copies at one place.
class DeltaBase {
  public:
    explicit DeltaBase(std::size_t bytes) : last_(bytes), before_(bytes) {}

    // The sender's side: packs a copy, which becomes the last one. restart: the copy is unrelated to the former ones,
    // and is sent unpacked.
    std::vector<PackedPart> pack(const NumberRecords& records, std::span<const std::byte> now, bool restart);

    // The receiver's side: returns a part as it was before packing, valid until the next copy. former: number of former
    // copies that it was packed with. offset, bytes: of the unpacked part. Throws RunError for bytes that were not
    // packed.
    std::span<const std::byte> unpack(const NumberRecords& records, std::uint32_t former,
                                      std::span<const std::byte> packed, std::size_t offset, std::size_t bytes);
    // Makes a part of the present copy the last one.
    void note(std::size_t offset, std::span<const std::byte> part);

    std::size_t size() const { return last_.size(); }

  private:
    FormerNumbers part(std::size_t offset, std::size_t bytes, std::uint32_t former) const;

    std::vector<std::byte> last_, before_;
    std::uint32_t known_ = 0;  // the sender's number of former copies, at most two
};

// The former copies at all places, by the number of the place. Several threads may call at once.
class DeltaBaseCache {
  public:
    // most: bytes of memory that all copies together may take.
    explicit DeltaBaseCache(std::uint64_t most) : most_(most) {}
    void keep(std::uint64_t most) { most_ = most; }

    // The copies at a place, of `bytes` bytes each; replaced if the place had another size. Null if they would exceed
    // the memory. They count until their last owner has released them.
    std::shared_ptr<DeltaBase> of(std::uint64_t place, std::size_t bytes);
    void forget(std::uint64_t place);

  private:
    std::uint64_t most_;
    std::mutex mutex_;
    std::shared_ptr<std::atomic<std::uint64_t>> kept_ = std::make_shared<std::atomic<std::uint64_t>>(0);
    std::map<std::uint64_t, std::shared_ptr<DeltaBase>> all_;
};

}  // namespace trellis
