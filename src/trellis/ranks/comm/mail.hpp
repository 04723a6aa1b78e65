// Messages between two ranks that neither sender nor receiver waits for.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "trellis/base/error.hpp"
#include "trellis/ranks/comm/comm.hpp"

namespace trellis {

// Not collective. Messages take the channel of Comm::send and Comm::receive, and are not counted.
class Mail {
  public:
    virtual ~Mail() = default;

    // As Comm::send, but returns at once, even if the message is long and its receiver is busy.
    virtual void post(int to, std::vector<std::byte> bytes) = 0;

    // The next message from a rank, if one has arrived.
    virtual std::optional<std::vector<std::byte>> take(int from) = 0;
};

// The mail of a communicator of threads or of MPI processes. Throws RunError for any other.
inline Mail& mail_of(Comm& comm) {
    if (auto* mail = dynamic_cast<Mail*>(&comm)) return *mail;
    throw RunError("this communicator cannot post messages: only those of threads and of MPI can");
}

}  // namespace trellis
