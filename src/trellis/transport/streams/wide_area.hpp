// Options of TCP sockets that cross a wide-area network.
#pragma once

#include <cstdint>

namespace trellis {

// Congestion control by BBR where the kernel has it, and short queues of what waits to be sent, so that whoever writes
// to several sockets sees which of them are free. Of a handle that is no TCP socket nothing becomes.
void prepare_for_wide_area(int handle);

// At most so many bytes a second leave the socket, evenly; 0: no limit.
void set_pacing(int handle, std::uint64_t bytes_per_second);

// What a socket has brought to the other end, in any order.
struct Delivered {
    std::uint32_t packets = 0;  // since it was connected; wraps around
    std::uint32_t packet_bytes = 0;
};
// Zeros where the system does not count.
Delivered delivered_by(int handle);

// Bytes that one connection can have on their way at most, by the system's settings: about half of the longest buffer
// of a socket, since each packet takes more memory than its contents.
std::uint64_t largest_window();

}  // namespace trellis
