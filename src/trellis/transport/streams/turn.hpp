// Fairness between the streams of a thread: one that never has to wait yields after about 1 MiB.
#pragma once

#include <cstddef>

namespace trellis {

class Turn {
  public:
    // One call has read or written `bytes`. Returns true if other streams are to have their turn.
    bool is_over_after(std::size_t bytes) {
        constexpr std::size_t bytes_a_turn = 1 << 20, bytes_of_a_call = 256;
        since_ += bytes + bytes_of_a_call;
        if (since_ < bytes_a_turn) return false;
        since_ = 0;
        return true;
    }
    // The stream has waited, so other streams had their turn.
    void begin() { since_ = 0; }

  private:
    std::size_t since_ = 0;  // bytes since its turn began
};

}  // namespace trellis
