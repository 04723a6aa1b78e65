// The file descriptors that a server may have.
#pragma once

#include <cstddef>

namespace trellis {

// The most handshakes at the same time, and the most clients, for which there are descriptors.
struct DescriptorShares {
    std::size_t handshakes, clients;
};

// Raises the limit of this process as far as the system allows, and shares the descriptors that are left: up to
// most_handshakes and most_clients. A few stay free, for files.
DescriptorShares share_descriptors(std::size_t most_handshakes, std::size_t most_clients);

}  // namespace trellis
