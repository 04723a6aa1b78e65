// A server: lends this machine's devices to clients (`trellis serve`).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace trellis {

struct ServerSettings {
    std::vector<std::string> devices;  // empty: all of this machine
    std::uint64_t memory = 0;          // bytes of each device that are lent; 0: all of a GPU's, half of this machine's
};

// One event for the log: its name, and facts as names and values.
using ServerLog =
    std::function<void(const std::string& event, const std::vector<std::pair<std::string, std::string>>& facts)>;

class Server {
  public:
    // log is called by the thread that is in run.
    Server(const ServerSettings& settings, ServerLog log);
    ~Server();
    Server(const Server&) = delete;
    Server& operator=(const Server&) = delete;

    // Listens for clients whose keys are allowed (transport/known_keys.hpp). Returns the port (port 0: any).
    std::uint16_t listen_tls(const std::string& host, std::uint16_t port);
    // Listens for anybody on this machine.
    std::uint16_t listen_plain(std::uint16_t port);
    // Listens for processes of this user.
    void listen_unix(const std::string& path);
    // Serves one client over two file descriptors; run returns when it has gone.
    void serve_pipes(int from, int to);

    // The fingerprint of this machine's key.
    static std::string fingerprint();

    // Serves until SIGINT, SIGTERM or SIGHUP, or stop. The functions above are called before.
    void run();
    // May be called by any thread.
    void stop();

  private:
    class Work;
    std::shared_ptr<Work> work_;
};

}  // namespace trellis
