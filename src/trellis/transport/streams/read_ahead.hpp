// Bytes that have come together with those that were asked for: one call of the system brings several short frames.
#pragma once

#include <algorithm>
#include <asio/buffer.hpp>
#include <cstddef>
#include <cstring>
#include <memory>
#include <span>

namespace trellis {

class ReadAhead {
  public:
    static constexpr std::size_t most = 16 << 10;

    // Moves bytes to the front of a buffer, as many as there are, and takes that part off the buffer.
    void move_to(asio::mutable_buffer& to) {
        const std::size_t some = std::min(to.size(), left_.size());
        if (some > 0) std::memcpy(to.data(), left_.data(), some);
        left_ = left_.subspan(some);
        to += some;
    }
    // Fills all of the bytes; false, and nothing is moved, if there are fewer.
    bool fill(std::span<std::byte> bytes) {
        if (bytes.size() > left_.size()) return false;
        asio::mutable_buffer to(bytes.data(), bytes.size());
        move_to(to);
        return true;
    }
    // Where the next bytes may be put once all have been moved; so many of them came.
    std::span<std::byte> room() {
        if (bytes_ == nullptr) bytes_ = std::make_unique_for_overwrite<std::byte[]>(most);
        return {bytes_.get(), most};
    }
    void came(std::size_t count) { left_ = room().first(count); }

  private:
    std::unique_ptr<std::byte[]> bytes_;
    std::span<const std::byte> left_;
};

}  // namespace trellis
