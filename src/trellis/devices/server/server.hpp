// A server (`trellis serve`): lends this machine's devices to clients.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "trellis/transport/connections/event_log.hpp"

namespace trellis {

struct ServerSettings {
    std::vector<std::string> devices;  // empty: all of this machine
    std::uint64_t memory = 0;          // bytes of each device to lend; 0: all of a GPU's, half of this machine's
    bool isolated = false;             // kernels on the processor run in processes of their own (devices/isolated)
    std::function<void()> begun = {};  // isolated: called in the process that starts them, if it is not empty
};

class Server {
  public:
    // log: called by the thread in run. The processes of isolated devices have the kernels that are known now.
    Server(const ServerSettings& settings, EventLog log);
    ~Server();
    Server(const Server&) = delete;
    Server& operator=(const Server&) = delete;

    // Listens for clients whose keys are allowed (transport/keys/known_keys.hpp). port 0: any free port. Returns the
    // port.
    std::uint16_t listen_tls(const std::string& host, std::uint16_t port);
    // Listens for all users of this machine.
    std::uint16_t listen_plain(std::uint16_t port);
    // Listens for processes of this user.
    void listen_unix(const std::string& path);
    // Serves one client over two file descriptors; run returns when its session ends.
    void serve_pipes(int from, int to);

    // The fingerprint of this machine's key.
    static std::string fingerprint();

    // Serves until SIGINT, SIGTERM, SIGHUP or stop. Called after the functions above.
    void run();
    // May be called by any thread.
    void stop();

  private:
    class Work;
    std::shared_ptr<Work> work_;
};

}  // namespace trellis
