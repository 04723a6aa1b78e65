// A server in a thread of the test, with keys in a folder of its own, and a relay that can cut its connections.
#pragma once

#include <stdlib.h>

#include <asio/io_context.hpp>
#include <asio/ip/tcp.hpp>
#include <asio/local/stream_protocol.hpp>
#include <asio/post.hpp>
#include <asio/read.hpp>
#include <asio/write.hpp>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "trellis/devices/remote/server.hpp"

namespace trellis {

// A new folder for keys and sockets, which TRELLIS_HOME names while it is there.
class KeysFolder {
  public:
    KeysFolder() {
        std::string name = (std::filesystem::temp_directory_path() / "trellis-XXXXXX").string();
        path_ = mkdtemp(name.data());
        setenv("TRELLIS_HOME", path_.c_str(), 1);
    }
    ~KeysFolder() {
        unsetenv("TRELLIS_HOME");
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    KeysFolder(const KeysFolder&) = delete;
    KeysFolder& operator=(const KeysFolder&) = delete;

    const std::filesystem::path& path() const { return path_; }
    std::string socket(const std::string& name = "socket") const { return path_ / name; }

  private:
    std::filesystem::path path_;
};

class RunningServer {
  public:
    explicit RunningServer(const ServerSettings& settings = {})
        : server_(settings, [this](const std::string& event, const auto& facts) {
              const std::scoped_lock lock(mutex_);
              std::string line = event;
              for (const auto& [name, value] : facts) line += " " + name + "=" + value;
              log_.push_back(line);
          }) {}
    ~RunningServer() { stop(); }
    RunningServer(const RunningServer&) = delete;
    RunningServer& operator=(const RunningServer&) = delete;

    Server& server() { return server_; }
    void start() {
        thread_ = std::thread([this] { server_.run(); });
    }
    void stop() {
        server_.stop();
        if (thread_.joinable()) thread_.join();
    }
    // Waits until so many events are logged that begin so; at most five seconds.
    std::vector<std::string> logged(const std::string& begin, std::size_t count) {
        for (int k = 0; k < 500 && logged(begin).size() < count; ++k)
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
        return logged(begin);
    }
    // The events logged until now that begin so.
    std::vector<std::string> logged(const std::string& begin) {
        const std::scoped_lock lock(mutex_);
        std::vector<std::string> found;
        for (const std::string& line : log_)
            if (line.starts_with(begin)) found.push_back(line);
        return found;
    }

  private:
    std::mutex mutex_;
    std::vector<std::string> log_;
    Server server_;
    std::thread thread_;
};

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

    // Where it listens.
    Endpoint place() const { return acceptor_.local_endpoint(); }
    // All that clients have said until now.
    std::vector<char> said_by_clients() {
        const std::scoped_lock lock(mutex_);
        return said_;
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
                                 if (&from == &link->client) note(*buffer, count);
                                 asio::error_code gone;
                                 asio::write(to, asio::buffer(buffer->bytes.data(), count), gone);
                                 if (gone) return close(*link);
                                 pass(link, from, to, buffer);
                             });
    }

    void note(const Buffer& buffer, std::size_t count) {
        const std::scoped_lock lock(mutex_);
        said_.insert(said_.end(), buffer.bytes.begin(), buffer.bytes.begin() + static_cast<std::ptrdiff_t>(count));
    }

    std::mutex mutex_;
    std::vector<char> said_;
    asio::io_context io_;
    const Endpoint to_;
    typename Protocol::acceptor acceptor_;
    std::list<std::shared_ptr<Link>> links_;
    std::atomic<bool> held_ = false;
    std::thread thread_;
};

}  // namespace trellis
