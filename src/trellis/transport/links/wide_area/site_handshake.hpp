// Handshake of a stream between two sites: their identities, and what each has received.
#pragma once

#include <asio/awaitable.hpp>
#include <cstdint>
#include <string>

#include "trellis/transport/sessions/handshake.hpp"

namespace trellis {

struct SiteHello {
    std::string ring;  // names of all sites, as the user of this site has given them
    std::uint32_t from = 0, to = 0;
    SessionKey instance{};  // drawn at random when a site starts, so that a restart is recognized
    SessionKey peer{};      // the instance of the other site until now; zero: this is the first stream
    std::uint64_t received = 0, granted = 0;  // as in a chunk's frame
};

struct SiteWelcome {
    SessionKey instance{};
    std::uint64_t received = 0, granted = 0;
};

asio::awaitable<void> send_site_hello(Stream& stream, const SiteHello& hello);
// Throws TransportError if the first frame is not a site's hello. A site with another version of Trellis is refused,
// which throws as well.
asio::awaitable<SiteHello> receive_site_hello(Stream& stream);

asio::awaitable<void> send_site_welcome(Stream& stream, const SiteWelcome& welcome);
// Throws InputError with the reason of a refusal.
asio::awaitable<SiteWelcome> receive_site_welcome(Stream& stream);

}  // namespace trellis
