// Messages between ranks of a communicator, packed together on their way through the heads of the sites.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace trellis {

// The receivers of a delivery, by their ranks in the communicator.
struct Destination {
    enum class Kind {
        ranks,    // the ranks listed
        all,      // every rank
        deferred  // every rank, as a part of the deferred gather of this number
    };
    Kind kind = Kind::ranks;
    std::vector<int> ranks{};  // of Kind::ranks
    int number = 0;            // of Kind::deferred
};

// Bytes from one rank to its receivers.
struct Delivery {
    int from;
    Destination to;
    std::vector<std::byte> bytes;
};

struct PacketBatch {
    std::uint64_t hops = 0;  // WideTraffic::critical_path_hops of the sender
    std::vector<Delivery> deliveries{};

    // Joins consecutive deliveries of the same rank with equal bytes into one to several ranks.
    void merge_equal();

    std::vector<std::byte> packed() const;
    static PacketBatch unpacked(std::span<const std::byte> bytes);
};

}  // namespace trellis
