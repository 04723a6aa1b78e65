// Connections whose peers have not authenticated yet: few, so that unknown peers cannot use up the descriptors of a
// server, and the silent ones end while others need their slots.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace trellis {

// The slot of one connection, which is free again when the object is destroyed.
struct PendingConnection {
    enum class Progress { silent, speaking, proven };

    std::string address;         // of the peer, without a port
    std::function<void()> drop;  // ends the connection; called at most once
    Progress progress = Progress::silent;
    std::string why_dropped;  // empty: it is not

    // Ends the connection for a reason.
    void end(const std::string& why);

    const std::chrono::steady_clock::time_point since = std::chrono::steady_clock::now();
};

class PendingConnections {
  public:
    using Clock = std::chrono::steady_clock;
    enum class Room { free, soon, none };

    // most: number of connections at the same time.
    explicit PendingConnections(std::size_t most) : most_(most) {}

    // Makes room for one more connection from this address. If all slots are taken, or connections of this address that
    // are not proven have half of them, one of these ends: the oldest of the silent ones, else of the speaking ones, of
    // the address that has most. None ends within its first 100 ms: then there is room soon. Proven ones never end.
    Room make_room(const std::string& address);
    std::shared_ptr<PendingConnection> take(const std::string& address);

  private:
    using Taken = std::vector<std::shared_ptr<PendingConnection>>;
    Taken not_proven(std::size_t& proven);

    const std::size_t most_;
    std::vector<std::weak_ptr<PendingConnection>> pending_;
};

}  // namespace trellis
