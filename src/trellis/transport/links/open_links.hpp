// Opens the links of a site to each other site of a run, over one port. Each site must know the keys of the others.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "trellis/transport/links/link.hpp"

namespace trellis {

constexpr std::size_t most_streams = 64;

// Settings of one link. Those not given are chosen: streams and pacing from the measured round trip and rate.
struct LinkChoice {
    std::optional<std::size_t> streams;   // TCP connections: 1 to most_streams
    std::optional<std::uint32_t> chunk;   // bytes of a chunk of a message: 4 KiB to 4 MiB; default 256 KiB
    std::optional<std::uint64_t> pacing;  // limit in bytes per second of all streams together; 0: no limit
    std::string via;                      // HOST:PORT of a forwarder to the site earlier in the ring; empty: none
};

struct LinkSettings {
    std::vector<std::string> ring;  // HOST:PORT of each site, in the order of the ring; the same list at all sites
    std::size_t site = 0;           // number of this site in the ring
    std::string listen;             // HOST:PORT to listen at; empty: all addresses, the port in the ring
    std::filesystem::path keys;     // the folder of keys; empty: keys_folder() of keys/identity.hpp
    std::chrono::milliseconds wait{60'000};     // the longest wait for the other sites
    std::chrono::milliseconds grace{120'000};   // the longest silence of a site
    std::uint64_t memory = 256 << 20;           // bytes of a link: half for sending, half for receiving
    std::map<std::size_t, LinkChoice> choices;  // by number of the other site
    // Receives a message that names the missing sites, at the beginning and then every ten seconds, in the thread that
    // calls open_links.
    std::function<void(const std::string& message)> waiting;
};

// The number of the site named HOST:PORT, or HOST if only one site has that host. Throws InputError for another name.
std::size_t site_named(const std::vector<std::string>& ring, const std::string& name);

// Listens, connects, and returns the links by number of the site; null for this one. Of two sites the one further down
// the ring connects; if it cannot, the other one does. All other sites must have a site's key in their list of trusted
// keys under its name in the ring. Throws InputError for impossible settings and for keys that are not trusted,
// RunError if a site has not connected in time.
std::vector<std::shared_ptr<Link>> open_links(const LinkSettings& settings);

}  // namespace trellis
