// A forwarder (`trellis forward`): passes connections on to a site that others cannot reach directly. It needs no key,
// since the sites encrypt what it forwards.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "trellis/transport/connections/event_log.hpp"

namespace trellis {

struct ForwarderSettings {
    std::string listen = "0.0.0.0";  // the address to listen at
    std::uint16_t port = 0;          // 0: any free port
    std::string to;                  // HOST:PORT
    std::size_t connections = 256;   // the most at the same time
};

class Forwarder {
  public:
    // Begins to listen. Throws InputError if it cannot. log: called by the thread in run.
    Forwarder(const ForwarderSettings& settings, EventLog log);
    ~Forwarder();
    Forwarder(const Forwarder&) = delete;
    Forwarder& operator=(const Forwarder&) = delete;

    std::uint16_t port() const;
    // Forwards connections until SIGINT, SIGTERM, SIGHUP or stop.
    void run();
    // May be called by any thread.
    void stop();

  private:
    class Work;
    std::shared_ptr<Work> work_;
};

}  // namespace trellis
