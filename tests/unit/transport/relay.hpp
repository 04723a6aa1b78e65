// A relay that can cut the connections that it carries, or be a long way.
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
#include <list>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace trellis {

using Local = asio::local::stream_protocol;
using Tcp = asio::ip::tcp;

// Passes bytes between clients that come to one place and the server at another.
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

    // What comes from now on takes so long on its way.
    void delay(std::chrono::milliseconds delay) { delay_ = delay; }
    // Where it listens.
    Endpoint place() const { return acceptor_.local_endpoint(); }
    // All that clients have said until now.
    std::vector<char> said_by_clients() {
        const std::scoped_lock lock(mutex_);
        return said_by_clients_;
    }
    std::vector<char> said_by_the_server() {
        const std::scoped_lock lock(mutex_);
        return said_by_the_server_;
    }
    // Ends all connections; new ones are accepted.
    void cut() {
        asio::post(io_, [this] {
            for (auto& link : links_) close(*link);
            links_.clear();
        });
    }
    // Passes nothing on from now on; what has come by then is lost if the connection is cut.
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
            asio::error_code nobody;
            link->server.connect(to_, nobody);
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
                                 if (held_) return;  // and the bytes are gone
                                 note(&from == &link->client ? said_by_clients_ : said_by_the_server_, *buffer, count);
                                 const auto end = buffer->bytes.begin() + static_cast<std::ptrdiff_t>(count);
                                 give(link, to, {buffer->bytes.begin(), end});
                                 if (to.is_open()) pass(link, from, to, buffer);
                             });
    }
    void give(const std::shared_ptr<Link>& link, Socket& to, std::vector<char> bytes) {
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

    void note(std::vector<char>& said, const Buffer& buffer, std::size_t count) {
        const std::scoped_lock lock(mutex_);
        said.insert(said.end(), buffer.bytes.begin(), buffer.bytes.begin() + static_cast<std::ptrdiff_t>(count));
    }

    std::mutex mutex_;
    std::vector<char> said_by_clients_, said_by_the_server_;
    asio::io_context io_;
    const Endpoint to_;
    typename Protocol::acceptor acceptor_;
    std::list<std::shared_ptr<Link>> links_;
    std::atomic<bool> held_ = false;
    std::atomic<std::chrono::milliseconds> delay_{};
    std::thread thread_;
};

}  // namespace trellis
