// A relay that can cut or delay the connections that it carries.
#pragma once

#include <asio/io_context.hpp>
#include <asio/ip/tcp.hpp>
#include <asio/local/stream_protocol.hpp>
#include <asio/post.hpp>
#include <asio/read.hpp>
#include <asio/steady_timer.hpp>
#include <asio/write.hpp>
#include <atomic>
#include <chrono>
#include <limits>
#include <list>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace trellis {

using Local = asio::local::stream_protocol;
using Tcp = asio::ip::tcp;

// Passes bytes between clients that connect to `from` and the server at `to`.
template <class Protocol>
class Relay {
  public:
    using Endpoint = typename Protocol::endpoint;
    Relay(const Endpoint& from, const Endpoint& to) : to_(to), acceptor_(io_, from) {
        accept();
        thread_ = std::thread([this] { io_.run(); });
    }
    ~Relay() {
        io_.stop();
        thread_.join();
    }
    Relay(const Relay&) = delete;
    Relay& operator=(const Relay&) = delete;

    // Delays bytes that arrive from now on.
    void delay(std::chrono::milliseconds delay) { delay_ = delay; }
    // The address at which it listens.
    Endpoint endpoint() const { return acceptor_.local_endpoint(); }
    // All bytes that clients have sent until now.
    std::vector<char> sent_by_clients() {
        const std::scoped_lock lock(mutex_);
        return sent_by_clients_;
    }
    std::vector<char> sent_by_server() {
        const std::scoped_lock lock(mutex_);
        return sent_by_server_;
    }
    // Ends all connections; new ones are accepted.
    void cut() {
        asio::post(io_, [this] {
            for (auto& link : links_) close(*link);
            links_.clear();
        });
    }
    // A connection passes nothing more on in a direction once it has received this many bytes at once there, as where
    // long packets are lost: handshakes and heartbeats are shorter.
    void lose_from(std::size_t bytes) { lost_from_ = bytes; }
    // Stops passing bytes on; those that arrive meanwhile are lost.
    void hold() { held_ = true; }
    void release() {
        held_ = false;
        cut();
    }

  private:
    using Socket = typename Protocol::socket;
    struct Link {
        explicit Link(asio::io_context& io) : client(io), server(io) {}
        Socket client, server;
        bool client_lost = false, server_lost = false;  // what each sends
    };
    struct Buffer {
        std::vector<char> bytes = std::vector<char>(16384);
    };

    static void close(Link& link) {
        asio::error_code ignored;
        link.client.close(ignored);
        link.server.close(ignored);
    }
    void accept() {
        auto link = std::make_shared<Link>(io_);
        acceptor_.async_accept(link->client, [this, link](const asio::error_code& failure) {
            if (failure) return;
            asio::error_code failed;
            link->server.connect(to_, failed);
            links_.push_back(link);
            pass(link, link->client, link->server, std::make_shared<Buffer>());
            pass(link, link->server, link->client, std::make_shared<Buffer>());
            accept();
        });
    }
    void pass(const std::shared_ptr<Link>& link, Socket& from, Socket& to, const std::shared_ptr<Buffer>& buffer) {
        from.async_read_some(asio::buffer(buffer->bytes),
                             [=, this, &from, &to](const asio::error_code& failure, std::size_t count) {
                                 if (failure) return close(*link);
                                 if (held_) return;  // and drop the bytes
                                 bool& lost = &from == &link->client ? link->client_lost : link->server_lost;
                                 lost = lost || count >= lost_from_;
                                 if (lost) return pass(link, from, to, buffer);
                                 note(&from == &link->client ? sent_by_clients_ : sent_by_server_, *buffer, count);
                                 const auto end = buffer->bytes.begin() + static_cast<std::ptrdiff_t>(count);
                                 send(link, to, {buffer->bytes.begin(), end});
                                 if (to.is_open()) pass(link, from, to, buffer);
                             });
    }
    void send(const std::shared_ptr<Link>& link, Socket& to, std::vector<char> bytes) {
        const auto write = [this, link, &to, bytes = std::move(bytes)] {
            asio::error_code gone;
            asio::write(to, asio::buffer(bytes), gone);
            if (gone) close(*link);
        };
        const std::chrono::milliseconds delay = delay_;
        if (delay.count() == 0) return write();
        const auto timer = std::make_shared<asio::steady_timer>(io_, delay);
        timer->async_wait([timer, write](const asio::error_code& stopped) {
            if (!stopped) write();
        });
    }

    void note(std::vector<char>& all, const Buffer& buffer, std::size_t count) {
        const std::scoped_lock lock(mutex_);
        all.insert(all.end(), buffer.bytes.begin(), buffer.bytes.begin() + static_cast<std::ptrdiff_t>(count));
    }

    std::mutex mutex_;
    std::vector<char> sent_by_clients_, sent_by_server_;
    asio::io_context io_;
    const Endpoint to_;
    typename Protocol::acceptor acceptor_;
    std::list<std::shared_ptr<Link>> links_;
    std::atomic<bool> held_ = false;
    std::atomic<std::size_t> lost_from_ = std::numeric_limits<std::size_t>::max();
    std::atomic<std::chrono::milliseconds> delay_{};
    std::thread thread_;
};

}  // namespace trellis
