// Messages between two ranks without waiting: for those that must look after something else while others wait.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "trellis/base/error.hpp"
#include "trellis/ranks/comm/comm.hpp"

namespace trellis {

// Not collective. Messages go the same way as those of Comm::send and Comm::receive, and are not counted.
class Mail {
  public:
    virtual ~Mail() = default;

    // As Comm::send, but returns at once, even if the message is long and its receiver is busy.
    virtual void post(int to, std::vector<std::byte> bytes) = 0;

    // The next message from a rank, if there is one.
    virtual std::optional<std::vector<std::byte>> take(int from) = 0;
};

// The mail of a communicator of threads or of processes under MPI.
inline Mail& mail_of(Comm& comm) {
    if (auto* mail = dynamic_cast<Mail*>(&comm)) return *mail;
    throw RunError("these ranks have no messages without waiting");
}

}  // namespace trellis
