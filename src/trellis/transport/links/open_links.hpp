// Opening the links of a site: to each other site of a run, through one port, with keys that each knows of the other.
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

// What a user may say of one link. What is not given is found: streams and pacing from the measured round trip and
// rate.
struct LinkChoice {
    std::optional<std::size_t> streams;   // TCP connections at once: 1 to most_streams
    std::optional<std::uint32_t> chunk;   // bytes of a message that travel as one: 4 KiB to 4 MiB, else 256 KiB
    std::optional<std::uint64_t> pacing;  // bytes a second of all streams together, at most; 0: no limit
    std::string via;  // HOST:PORT of a forwarder that leads to the site earlier in the ring; empty: none
};

struct LinkSettings {
    std::vector<std::string> ring;  // HOST:PORT of each site, in the order of the ring; the same list at all sites
    std::size_t site = 0;           // which of them this one is
    std::string listen;             // HOST:PORT at which to listen; empty: all addresses, the port in the ring
    std::filesystem::path keys;     // the folder of keys; empty: the user's (keys_folder in keys/identity.hpp)
    std::chrono::milliseconds wait{60'000};     // how long to wait for the other sites
    std::chrono::milliseconds grace{120'000};   // how long a site may be silent
    std::uint64_t memory = 256 << 20;           // bytes of a link: half for what waits to be sent, half for what came
    std::map<std::size_t, LinkChoice> choices;  // by the number of the other site
    // Says for whom it waits, at the beginning and then every ten seconds, in the thread that called open_links.
    std::function<void(const std::string& sentence)> waiting;
};

// The number of the site that is named as HOST:PORT, or as HOST where that is one site's alone. Throws InputError.
std::size_t site_named(const std::vector<std::string>& ring, const std::string& name);

// Listens, connects, and returns the links, one for each site of the ring, null in the place of this one. Of two sites
// the one further down the list connects; if it cannot, the other does. A site's key must be in the list of trusted
// keys under its name in the ring, at all other sites. Throws InputError for settings that cannot be used and keys that
// are not trusted, RunError if a site has not come in time.
std::vector<std::shared_ptr<Link>> open_links(const LinkSettings& settings);

}  // namespace trellis
