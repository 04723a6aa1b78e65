#include "trellis/transport/streams/tls_stream.hpp"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <asio/post.hpp>
#include <asio/redirect_error.hpp>
#include <asio/ssl/error.hpp>
#include <asio/use_awaitable.hpp>
#include <cerrno>
#include <new>
#include <utility>
#include <vector>

#include "trellis/transport/streams/close.hpp"

namespace trellis {

namespace {

constexpr std::size_t record_bytes = SSL3_RT_MAX_PLAIN_LENGTH;
static_assert(ReadAhead::most >= record_bytes);

// True if the peer cannot decide at present whether it accepts this side's key.
bool has_internal_error(const asio::error_code& error) {
    return error.category() == asio::error::get_ssl_category() &&
           ERR_GET_REASON(static_cast<unsigned long>(error.value())) == SSL_R_TLSV1_ALERT_INTERNAL_ERROR;
}

}  // namespace

bool has_closed(const asio::error_code& error) {
    return error == asio::error::eof || error == asio::error::connection_reset || error == asio::error::broken_pipe ||
           error == asio::ssl::error::stream_truncated || has_internal_error(error);
}

bool refuses_key(const asio::error_code& error) {
    return error.category() == asio::error::get_ssl_category() && !has_internal_error(error);
}

// OpenSSL's view of the socket. The one built into OpenSSL raises SIGPIPE, which ends the program, if the peer has
// closed the connection.
struct TlsStream::Socket {
    static TlsStream& stream_of(BIO* bio) { return *static_cast<TlsStream*>(BIO_get_data(bio)); }

    // Notes the result of a system call.
    static int noted(BIO* bio, ssize_t result) {
        TlsStream& stream = stream_of(bio);
        stream.failure_ = result < 0 ? errno : 0;
        if (result < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR)) return -1;
        BIO_clear_retry_flags(bio);
        return static_cast<int>(result);
    }
    static int read(BIO* bio, char* to, int size) {
        BIO_set_retry_read(bio);
        const ssize_t got = recv(stream_of(bio).handle(), to, static_cast<std::size_t>(size), MSG_DONTWAIT);
        if (got == 0) stream_of(bio).ended_ = true;
        return noted(bio, got);
    }
    static int write(BIO* bio, const char* from, int size) {
        BIO_set_retry_write(bio);
        const int flags = MSG_DONTWAIT | MSG_NOSIGNAL | (stream_of(bio).more_ ? MSG_MORE : 0);
        return noted(bio, send(stream_of(bio).handle(), from, static_cast<std::size_t>(size), flags));
    }
    static long control(BIO* /*bio*/, int command, long /*number*/, void* /*pointer*/) {
        return command == BIO_CTRL_FLUSH ? 1 : 0;
    }
    static const BIO_METHOD* method() {
        static BIO_METHOD* const made = [] {
            BIO_METHOD* method = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "socket of a stream");
            if (method == nullptr) throw std::bad_alloc();
            BIO_meth_set_read(method, read);
            BIO_meth_set_write(method, write);
            BIO_meth_set_ctrl(method, control);
            return method;
        }();
        return made;
    }
};

TlsStream::TlsStream(asio::ip::tcp::socket socket, SSL_CTX* context, std::string peer)
    : socket_(std::move(socket)), peer_(std::move(peer)), tls_(SSL_new(context), SSL_free) {
    BIO* bio = BIO_new(Socket::method());
    if (tls_ == nullptr || bio == nullptr) throw std::bad_alloc();
    BIO_set_data(bio, this);
    BIO_set_init(bio, 1);
    SSL_set_bio(tls_.get(), bio, bio);
}

asio::awaitable<void> TlsStream::handshake(Side side, const AcceptKey& accept) {
    verify_peer(tls_.get(), &accept);
    if (side == Side::client)
        SSL_set_connect_state(tls_.get());
    else
        SSL_set_accept_state(tls_.get());
    while (true) {
        demand_open();
        ERR_clear_error();
        const int result = SSL_do_handshake(tls_.get());
        if (result == 1) break;
        co_await go_on_after(result);
    }
    verify_peer(tls_.get(), nullptr);  // `accept` is valid only until here
}

// If bytes were left unread, the system would reset the connection, and drop what the peer has not read.
asio::awaitable<void> TlsStream::end_refused() {
    shutdown(handle(), SHUT_WR);
    std::array<std::byte, 4096> dropped;
    for (int most = 64; most > 0 && socket_.is_open(); --most) {
        const ssize_t got = recv(handle(), dropped.data(), dropped.size(), MSG_DONTWAIT);
        if (got == 0 || (got < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR)) co_return;
        if (got > 0) continue;
        asio::error_code closed;
        co_await socket_.async_wait(socket_.wait_read, asio::redirect_error(asio::use_awaitable, closed));
    }
}

asio::awaitable<void> TlsStream::read(std::span<const asio::mutable_buffer> buffers) {
    for (asio::mutable_buffer left : buffers) {
        for (ahead_.move_to(left); left.size() > 0; ahead_.move_to(left)) {
            demand_open();
            ERR_clear_error();
            const bool all_wanted = left.size() >= record_bytes;
            const std::span<std::byte> room = ahead_.room();
            std::size_t got = 0;
            const int result = all_wanted ? SSL_read_ex(tls_.get(), left.data(), left.size(), &got)
                                          : SSL_read_ex(tls_.get(), room.data(), room.size(), &got);
            if (all_wanted)
                left += got;
            else
                ahead_.received(got);
            if (result != 1)
                co_await go_on_after(result);
            else if (reading_.is_over_after(got))
                co_await let_others();
        }
    }
}

asio::awaitable<void> TlsStream::write(std::span<const asio::const_buffer> buffers) {
    std::vector<std::byte> record;
    while (!buffers.empty()) {
        record.clear();
        record.reserve(record_bytes);
        while (!buffers.empty() && record.size() + buffers.front().size() <= record_bytes) {
            const auto* bytes = static_cast<const std::byte*>(buffers.front().data());
            record.insert(record.end(), bytes, bytes + buffers.front().size());
            buffers = buffers.subspan(1);
        }
        if (!record.empty()) {
            co_await write_all(asio::const_buffer(record.data(), record.size()), !buffers.empty());
        } else if (!buffers.empty()) {
            co_await write_all(buffers.front(), buffers.size() > 1);
            buffers = buffers.subspan(1);
        }
    }
}

asio::awaitable<void> TlsStream::write_all(asio::const_buffer bytes, bool more) {
    while (bytes.size() > 0) {
        demand_open();
        ERR_clear_error();
        more_ = more || bytes.size() > record_bytes;
        std::size_t written = 0;
        const int result = SSL_write_ex(tls_.get(), bytes.data(), std::min(bytes.size(), record_bytes), &written);
        bytes += written;
        if (result != 1)
            co_await go_on_after(result);
        else if (writing_.is_over_after(written))
            co_await let_others();
    }
}

// Lets other streams of the thread go on; they may close this one.
asio::awaitable<void> TlsStream::let_others() {
    co_await asio::post(socket_.get_executor(), asio::use_awaitable);
    demand_open();
}

// Waits until OpenSSL can go on; throws asio::system_error if it has failed.
asio::awaitable<void> TlsStream::go_on_after(int result) {
    switch (SSL_get_error(tls_.get(), result)) {
        case SSL_ERROR_WANT_READ:
            reading_.begin();
            co_return co_await socket_.async_wait(socket_.wait_read, asio::use_awaitable);
        case SSL_ERROR_WANT_WRITE:
            writing_.begin();
            co_return co_await socket_.async_wait(socket_.wait_write, asio::use_awaitable);
        case SSL_ERROR_ZERO_RETURN:
            throw asio::system_error(asio::error::eof);
        default:
            break;
    }
    if (failure_ != 0) throw asio::system_error(asio::error_code(failure_, asio::error::get_system_category()));
    if (ended_) throw asio::system_error(asio::ssl::error::stream_truncated);
    const auto why = static_cast<int>(ERR_get_error());
    throw asio::system_error(asio::error_code(why, asio::error::get_ssl_category()));
}

// A closed stream must not use its buffers any more.
void TlsStream::demand_open() const {
    if (!socket_.is_open()) throw asio::system_error(asio::error::operation_aborted);
}

void TlsStream::close() { close_quietly(socket_); }

}  // namespace trellis
