// The server's end of connections: over TCP with TLS, over TCP of this machine, and over Unix sockets.
#pragma once

#include <asio/any_io_executor.hpp>
#include <asio/awaitable.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "trellis/transport/keys/identity.hpp"
#include "trellis/transport/streams/stream.hpp"

namespace trellis {

// Functions that a listener calls for each connection.
struct Accepted {
    // Carries out the handshake with a peer; fingerprint: of its key, empty if it needs none. A limited number run at
    // the same time, each for five seconds at most; if slots run out, those of silent peers end first
    // (pending_connections.hpp).
    std::function<asio::awaitable<void>(std::shared_ptr<Stream> stream, std::string fingerprint)> handshake;
    // A connection was refused, or its handshake failed.
    std::function<void(const std::string& peer, const std::string& why)> refused;
};

class Listener {
  public:
    static constexpr std::size_t usual_handshakes = 64;

    Listener(asio::any_io_executor executor, Accepted accepted, std::size_t most_handshakes = usual_handshakes);
    ~Listener();
    Listener(const Listener&) = delete;
    Listener& operator=(const Listener&) = delete;

    // Listens at an address; port 0: any free port. Returns the port. Throws InputError if the address is in use, or
    // does not belong to this machine.
    std::uint16_t listen_tls(const std::string& host, std::uint16_t port, const Identity& identity,
                             std::function<bool(const std::string& fingerprint)> allowed);
    std::uint16_t listen_plain(std::uint16_t port);
    // Only this user can connect to the socket, which is removed at the end.
    void listen_unix(const std::string& path);

    void stop();

  private:
    class Shared;
    struct Coming;
    std::shared_ptr<Shared> shared_;
};

}  // namespace trellis
