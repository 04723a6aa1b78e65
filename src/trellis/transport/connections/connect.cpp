#include "trellis/transport/connections/connect.hpp"

#include <algorithm>
#include <asio/connect.hpp>
#include <asio/ip/tcp.hpp>
#include <asio/local/stream_protocol.hpp>
#include <asio/this_coro.hpp>
#include <asio/use_awaitable.hpp>
#include <cerrno>
#include <chrono>
#include <optional>

#include "trellis/transport/connections/ssh_process.hpp"
#include "trellis/transport/keys/identity.hpp"
#include "trellis/transport/keys/known_keys.hpp"
#include "trellis/transport/keys/tls.hpp"
#include "trellis/transport/streams/close.hpp"
#include "trellis/transport/streams/deadline.hpp"
#include "trellis/transport/streams/socket_stream.hpp"
#include "trellis/transport/streams/tls_stream.hpp"
#include "trellis/transport/streams/transport_error.hpp"

namespace trellis {

namespace {

using asio::use_awaitable;
using std::chrono::milliseconds;
using Tcp = asio::ip::tcp;
using Local = asio::local::stream_protocol;

[[noreturn]] void throw_untrusted(const std::string& name, const std::optional<std::string>& trusted,
                                  const std::string& shown) {
    if (!trusted)
        throw InputError("the key of " + name + " is not known yet: it shows " + shown +
                         "; if that is what `trellis keys` prints there, run `trellis keys trust " + name + " " +
                         shown + "`");
    throw InputError("the key of " + name + " is " + shown + ", but " + *trusted +
                     " is trusted: another machine may be in between; if it has a new key, run `trellis keys trust " +
                     name + " " + shown + "`");
}

asio::awaitable<Tcp::socket> connect_tcp(const Address& address, milliseconds time) {
    const auto executor = co_await asio::this_coro::executor;
    Tcp::resolver resolver(executor);
    Tcp::resolver::results_type found;
    try {
        found = co_await resolver.async_resolve(address.host, std::to_string(address.port), use_awaitable);
    } catch (const asio::system_error&) {
        throw InputError("there is no host '" + address.host + "', named in " + address.server());
    }
    Tcp::socket socket(executor);
    const Deadline deadline(executor, time, [&] { close_quietly(socket); });
    co_await asio::async_connect(socket, found, use_awaitable);
    socket.set_option(Tcp::no_delay(true));
    co_return socket;
}

asio::awaitable<std::shared_ptr<Stream>> connect_plain(const Address& address, milliseconds time) {
    Tcp::socket socket = co_await connect_tcp(address, time);
    if (!socket.remote_endpoint().address().is_loopback())
        throw InputError(address.server() + " is not this machine: without TLS, allowed are 127.0.0.1 and ::1");
    co_return std::make_shared<SocketStream<Tcp::socket>>(std::move(socket), address.server());
}

asio::awaitable<std::shared_ptr<Stream>> open_tls(const TlsPeer& peer, milliseconds time) {
    const Address& address = peer.address;
    const Identity identity = identity_in(peer.keys);
    const std::optional<std::string> trusted = KnownKeys(peer.keys, KnownKeys::List::trusted).fingerprint_of(peer.name);
    Tcp::socket socket = co_await connect_tcp(address, time);
    const auto context = tls_context(identity);
    auto stream = std::make_shared<TlsStream>(std::move(socket), context.get(), address.server());
    std::string shown;
    const AcceptKey accept = [&](const std::string& fingerprint) {
        shown = fingerprint;
        return fingerprint == trusted;
    };
    const Deadline deadline(co_await asio::this_coro::executor, time, [&] { stream->close(); });
    try {
        co_await stream->handshake(TlsStream::Side::client, accept);
    } catch (const asio::system_error& error) {
        if (!shown.empty() && shown != trusted) throw_untrusted(peer.name, trusted, shown);
        if (has_closed(error.code())) throw ConnectionClosed(address.server() + " has closed the connection");
        throw TransportError(address.server() + " does not use TLS 1.3 with an Ed25519 key (" + error.what() + ")");
    }
    co_return stream;
}

asio::awaitable<std::shared_ptr<Stream>> connect_local(const Address& address) {
    Local::socket socket(co_await asio::this_coro::executor);
    Local::endpoint endpoint;
    try {
        endpoint = Local::endpoint(address.host);
    } catch (const asio::system_error&) {
        throw InputError("the path of " + address.server() + " is too long for a Unix socket");
    }
    co_await socket.async_connect(endpoint, use_awaitable);
    widen(socket.native_handle());
    co_return std::make_shared<SocketStream<Local::socket>>(std::move(socket), address.server());
}

// Throws the error for a failed attempt to connect to an address.
[[noreturn]] void throw_unreached(const Address& address, const asio::error_code& error) {
    if (error == asio::error::connection_refused || error.value() == ENOENT)
        throw ServerGone("no server listens at " + address.server());
    const bool late = error == asio::error::operation_aborted || error == asio::error::bad_descriptor;
    throw TransportError(address.server() + " cannot be reached: " + (late ? "no answer in time" : error.message()));
}

}  // namespace

std::string name_of(const Address& address) {
    return address.port == usual_port ? address.host : address.host + ":" + std::to_string(address.port);
}

asio::awaitable<std::shared_ptr<Stream>> connect_tls(const TlsPeer& peer, milliseconds longest) {
    try {
        co_return co_await open_tls(peer, std::min(longest, time_to_connect));
    } catch (const asio::system_error& error) {
        throw_unreached(peer.address, error.code());
    }
}

asio::awaitable<std::shared_ptr<Stream>> connect(const Address& address, milliseconds longest) {
    const milliseconds time = std::min(longest, time_to_connect);
    try {
        switch (address.kind) {
            case AddressKind::tls: {
                const TlsPeer peer{address, name_of(address), keys_folder()};
                co_return co_await open_tls(peer, time);
            }
            case AddressKind::plain:
                co_return co_await connect_plain(address, time);
            case AddressKind::unix_socket:
                co_return co_await connect_local(address);
            case AddressKind::ssh:
                co_return start_ssh(co_await asio::this_coro::executor, address);
        }
    } catch (const asio::system_error& error) {
        throw_unreached(address, error.code());
    }
    throw TransportError("unknown kind of address");
}

}  // namespace trellis
