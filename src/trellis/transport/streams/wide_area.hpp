// Options of TCP sockets that cross a wide-area network.
#pragma once

#include <cstdint>

namespace trellis {

// Sets congestion control by BBR, if the kernel has it, and a short queue of unsent bytes, so that a writer to several
// sockets sees which of them are free. Does nothing if the handle is not a TCP socket.
void prepare_for_wide_area(int handle);

// Limits the rate of a socket, with even spacing of packets; 0: no limit.
void set_pacing(int handle, std::uint64_t bytes_per_second);

// Packets that have reached the other end, in any order.
struct Delivered {
    std::uint32_t packets = 0;  // since the socket was connected; wraps around
    std::uint32_t packet_bytes = 0;
};
// Zeros if the system does not count them.
Delivered delivered_by(int handle);

// The most bytes that one connection can have in flight by the system's settings: about half of the longest buffer of a
// socket, since each packet takes more memory than its contents.
std::uint64_t largest_window();

}  // namespace trellis
