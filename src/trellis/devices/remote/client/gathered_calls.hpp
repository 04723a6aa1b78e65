// Calls to a device, and the bytes of their uploads, that are gathered to be sent in one frame.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "trellis/devices/remote/client/calls.hpp"
#include "trellis/transport/sessions/session.hpp"

namespace trellis {

class GatheredCalls {
  public:
    bool none() const { return body_.size() == 0; }
    // False if the frame would have more data than one may have.
    bool has_room_for(std::size_t bytes) const { return data_bytes_ + bytes <= Session::largest_data; }
    // True if they should be sent, although more could be gathered.
    bool are_enough() const { return body_.size() > enough_calls || data_bytes_ > enough_data; }

    // data: of an upload. owner: of data; null: the caller keeps them valid until the queue has been waited for.
    void add(const wire::Call& call, std::span<const std::byte> data, std::shared_ptr<const void> owner) {
        wire::put(body_, call);
        if (!data.empty()) data_.push_back(data);
        if (owner) owners_.push_back(std::move(owner));
        data_bytes_ += data.size();
    }
    // Returns them as a frame; none are left.
    Frame take() {
        Frame frame;
        frame.header.type = FrameType::calls;
        frame.body = std::exchange(body_, {}).take();
        frame.data = std::exchange(data_, {});
        if (!owners_.empty())
            frame.owner = std::make_shared<std::vector<std::shared_ptr<const void>>>(std::exchange(owners_, {}));
        data_bytes_ = 0;
        return frame;
    }

  private:
    static constexpr std::size_t enough_calls = 32 << 10, enough_data = 256 << 10;  // bytes

    ByteWriter body_;
    std::vector<std::span<const std::byte>> data_;
    std::vector<std::shared_ptr<const void>> owners_;
    std::size_t data_bytes_ = 0;
};

}  // namespace trellis
