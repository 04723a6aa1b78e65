// A stream that never has to wait lets others have their turn after so many bytes.
#pragma once

#include <cstddef>

namespace trellis {

class Turn {
  public:
    // So many bytes were read or written, by one call.
    bool is_over_after(std::size_t bytes) {
        constexpr std::size_t bytes_a_turn = 1 << 20, bytes_of_a_call = 256;
        since_ += bytes + bytes_of_a_call;
        if (since_ < bytes_a_turn) return false;
        since_ = 0;
        return true;
    }
    // The stream had to wait, so others had theirs.
    void begin() { since_ = 0; }

  private:
    std::size_t since_ = 0;
};

}  // namespace trellis
