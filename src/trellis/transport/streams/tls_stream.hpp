// A stream with TLS over a TCP socket. OpenSSL reads from the socket and writes to it itself, which avoids a copy.
#pragma once

#include <asio/ip/tcp.hpp>
#include <cstddef>
#include <memory>
#include <string>

#include "trellis/transport/keys/tls.hpp"
#include "trellis/transport/streams/read_ahead.hpp"
#include "trellis/transport/streams/stream.hpp"
#include "trellis/transport/streams/turn.hpp"

namespace trellis {

// True if the peer, or its machine, has closed the connection.
bool has_closed(const asio::error_code& error);
// True if the peer does not accept this side's key.
bool refuses_key(const asio::error_code& error);

class TlsStream : public Stream {
  public:
    enum class Side { client, server };

    TlsStream(asio::ip::tcp::socket socket, SSL_CTX* context, std::string peer);
    TlsStream(const TlsStream&) = delete;
    TlsStream& operator=(const TlsStream&) = delete;

    // Completes the TLS handshake, before any read or write. Throws asio::system_error if the peer's key is not
    // accepted, or it does not use TLS.
    asio::awaitable<void> handshake(Side side, const AcceptKey& accept);

    // After a handshake that has failed: returns when the peer has closed the connection, so that it has received why.
    asio::awaitable<void> end_refused();

    using Stream::read;
    asio::awaitable<void> read(std::span<const asio::mutable_buffer> buffers) override;
    bool read_at_once(std::span<std::byte> bytes) override { return socket_.is_open() && ahead_.fill(bytes); }
    // Short buffers are combined into records.
    asio::awaitable<void> write(std::span<const asio::const_buffer> buffers) override;
    void close() override;
    const std::string& peer() const override { return peer_; }
    int handle() override { return socket_.native_handle(); }

  private:
    struct Socket;  // OpenSSL's view of the socket

    asio::awaitable<void> write_all(asio::const_buffer bytes, bool more);
    asio::awaitable<void> let_others();
    asio::awaitable<void> go_on_after(int result);
    void demand_open() const;

    asio::ip::tcp::socket socket_;
    const std::string peer_;
    std::shared_ptr<SSL> tls_;
    ReadAhead ahead_;
    bool more_ = false;   // more bytes follow those that are written now
    bool ended_ = false;  // the peer has closed the connection
    int failure_ = 0;     // errno of the last system call
    Turn reading_, writing_;
};

}  // namespace trellis
