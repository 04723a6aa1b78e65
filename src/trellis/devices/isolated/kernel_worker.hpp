// The process in which the kernels of one device run: its messages, and what it does.
#pragma once

#include <cstdint>

#include "trellis/devices/isolated/passed_messages.hpp"

namespace trellis {

// A message that starts a process, with the descriptors of its memory and of its control socket.
struct StartWorker {
    std::uint64_t memory_bytes = 0;
    std::int32_t threads = 0;
};

// The beginning of a launch. Behind it follow the name of the kernel, its graph (0 bytes: the process knows its name),
// its constants, and an offset for each memory.
struct WorkerLaunch {
    std::uint32_t name_bytes = 0, memories = 0;
    std::uint64_t graph_bytes = 0, constants_bytes = 0;
};
inline constexpr std::uint64_t no_memory = ~std::uint64_t{0};  // in place of the offset of memory that is absent

// The answer to a launch. Behind it follows the text of an error, unless the kernel is done.
struct WorkerAnswer {
    std::uint32_t error_bytes = 0;
};

// Carries out launches until the other end of `control` is closed. Each message on it, a byte, brings the descriptor of
// a socket, whose launches have a thread of their own.
[[noreturn]] void work(const StartWorker& start, const OwnDescriptor& memory, const OwnDescriptor& control);

}  // namespace trellis
