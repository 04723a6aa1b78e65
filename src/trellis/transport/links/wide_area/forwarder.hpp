// A forwarder: passes connections on to another machine, byte by byte, where a site has no direct way in or out
// (`trellis forward`). It has no key: what passes is encrypted between the sites.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace trellis {

struct ForwarderSettings {
    std::string listen = "0.0.0.0";  // the address at which to listen
    std::uint16_t port = 0;          // 0: any
    std::string to;                  // HOST:PORT
    std::size_t connections = 256;   // at once, at most
};

// One event for the log: its name, and facts as names and values.
using ForwarderLog =
    std::function<void(const std::string& event, const std::vector<std::pair<std::string, std::string>>& facts)>;

class Forwarder {
  public:
    // Begins to listen. Throws InputError if it cannot. log is called by the thread that is in run.
    Forwarder(const ForwarderSettings& settings, ForwarderLog log);
    ~Forwarder();
    Forwarder(const Forwarder&) = delete;
    Forwarder& operator=(const Forwarder&) = delete;

    std::uint16_t port() const;
    // Passes on until SIGINT, SIGTERM or SIGHUP, or stop.
    void run();
    // May be called by any thread.
    void stop();

  private:
    class Work;
    std::shared_ptr<Work> work_;
};

}  // namespace trellis
