// Counts of the messages that a rank sends to other sites, and of the time that it waits for theirs.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "trellis/ranks/comm/traffic_class.hpp"

namespace trellis {

// Sent to other sites for one class of traffic, and seconds spent waiting for other sites' messages of that class.
struct ClassTraffic {
    std::uint64_t messages = 0, bytes = 0;
    double waiting = 0;
};

struct WideTraffic {
    // Length of the longest causal chain of messages between sites that ends at this rank (Lamport's clock): half round
    // trips on the critical path, hidden by work or not.
    std::uint64_t critical_path_hops = 0;
    // Number of times that a rank which receives from other sites asked for a packet that had not arrived: hops that no
    // work hid.
    std::uint64_t visible = 0;
    double hidden = 0;  // seconds of work while packets to this rank were under way
    std::array<ClassTraffic, static_cast<std::size_t>(TrafficClass::count)> classes{};

    ClassTraffic& of(TrafficClass traffic_class) { return classes[static_cast<std::size_t>(traffic_class)]; }
    const ClassTraffic& of(TrafficClass traffic_class) const {
        return classes[static_cast<std::size_t>(traffic_class)];
    }
    // The sum over the classes.
    ClassTraffic all() const {
        ClassTraffic sum;
        for (const auto& [messages, bytes, waiting] : classes)
            sum = {sum.messages + messages, sum.bytes + bytes, sum.waiting + waiting};
        return sum;
    }
};

}  // namespace trellis
