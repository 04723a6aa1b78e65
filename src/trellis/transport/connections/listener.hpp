// Accepting connections: over TCP with TLS, over TCP of this machine, and over Unix sockets.
#pragma once

#include <asio/any_io_executor.hpp>
#include <asio/awaitable.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "trellis/transport/keys/identity.hpp"
#include "trellis/transport/streams/stream.hpp"

namespace trellis {

// What becomes of connections.
struct Accepted {
    // A peer is there, with the fingerprint of its key; empty where there is none. Called up to 64 times at once; each
    // has five seconds to handshake.
    std::function<asio::awaitable<void>(std::shared_ptr<Stream> stream, std::string fingerprint)> handshake;
    // A connection came to nothing: from where, and why.
    std::function<void(const std::string& peer, const std::string& why)> refused;
};

class Listener {
  public:
    Listener(asio::any_io_executor executor, Accepted accepted);
    ~Listener();
    Listener(const Listener&) = delete;
    Listener& operator=(const Listener&) = delete;

    // Each begins to accept. Returns the port that it got (port 0: any). Throws InputError if the address is taken, or
    // is none of this machine.
    std::uint16_t listen_tls(const std::string& host, std::uint16_t port, const Identity& identity,
                             std::function<bool(const std::string& fingerprint)> allowed);
    std::uint16_t listen_plain(std::uint16_t port);
    // The socket is its owner's alone, and is removed at the end.
    void listen_unix(const std::string& path);

    void stop();

  private:
    class Shared;
    std::shared_ptr<Shared> shared_;
};

}  // namespace trellis
