// The first frames of each stream between two sites: who they are, and what each has received.
#pragma once

#include <asio/awaitable.hpp>
#include <cstdint>
#include <string>

#include "trellis/transport/sessions/handshake.hpp"

namespace trellis {

struct SiteHello {
    std::string ring;  // the names of all sites, as this one's user has given them
    std::uint32_t from = 0, to = 0;
    SessionKey instance{};  // drawn at random when a site starts: one that is started anew is another
    SessionKey peer{};      // the instance that the other site was until now; zero: this is the first stream
    std::uint64_t received = 0, granted = 0;  // as a chunk's frame says
};

struct SiteWelcome {
    SessionKey instance{};
    std::uint64_t received = 0, granted = 0;
};

asio::awaitable<void> send_site_hello(Stream& stream, const SiteHello& hello);
// Throws TransportError if this is no hello of a site, or one of another version of Trellis, which is answered with a
// sentence.
asio::awaitable<SiteHello> receive_site_hello(Stream& stream);

asio::awaitable<void> send_site_welcome(Stream& stream, const SiteWelcome& welcome);
// Throws InputError with the sentence of a refusal.
asio::awaitable<SiteWelcome> receive_site_welcome(Stream& stream);

}  // namespace trellis
