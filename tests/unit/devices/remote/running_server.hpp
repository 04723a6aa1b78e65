// A server in a thread of the test.
#pragma once

#include <chrono>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "trellis/devices/server/server.hpp"
#include "unit/transport/keys_folder.hpp"
#include "unit/transport/relay.hpp"

namespace trellis {

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
    // Waits for `count` events that begin with `begin`, for five seconds at most, and returns them.
    std::vector<std::string> logged(const std::string& begin, std::size_t count) {
        for (int k = 0; k < 500 && logged(begin).size() < count; ++k)
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
        return logged(begin);
    }
    // Waits until `count` connections have been refused, for ten seconds at most, and returns their number. A line may
    // stand for several.
    std::size_t refused(std::size_t count) {
        for (int k = 0; k < 1000 && refused() < count; ++k) std::this_thread::sleep_for(std::chrono::milliseconds(10));
        return refused();
    }
    std::size_t refused() {
        std::size_t all = 0;
        for (const std::string& line : logged("refused")) {
            const std::size_t count = line.rfind(" count=");
            all += count == std::string::npos ? 1 : std::stoul(line.substr(count + 7));
        }
        return all;
    }
    // The events until now that begin with `begin`.
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

}  // namespace trellis
