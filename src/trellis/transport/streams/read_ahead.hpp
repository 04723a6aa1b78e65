// Bytes received beyond those asked for: one system call returns several short frames.
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

    // Moves bytes to a buffer, as many as are there, and removes the part filled from the buffer.
    void move_to(asio::mutable_buffer& to) {
        const std::size_t some = std::min(to.size(), left_.size());
        if (some > 0) std::memcpy(to.data(), left_.data(), some);
        left_ = left_.subspan(some);
        to += some;
    }
    // Fills all of `bytes`; returns false, and moves nothing, if there are fewer.
    bool fill(std::span<std::byte> bytes) {
        if (bytes.size() > left_.size()) return false;
        asio::mutable_buffer to(bytes.data(), bytes.size());
        move_to(to);
        return true;
    }
    // Memory for the next bytes, once all have been moved; the caller then reports how many it has put there.
    std::span<std::byte> room() {
        if (bytes_ == nullptr) bytes_ = std::make_unique_for_overwrite<std::byte[]>(most);
        return {bytes_.get(), most};
    }
    void received(std::size_t count) { left_ = room().first(count); }

  private:
    std::unique_ptr<std::byte[]> bytes_;
    std::span<const std::byte> left_;
};

}  // namespace trellis
