// A log in which a peer cannot write more than a line a second.
#pragma once

#include <asio/any_io_executor.hpp>
#include <asio/steady_timer.hpp>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "trellis/transport/connections/event_log.hpp"

namespace trellis {

// Used by the thread that runs the executor.
class LimitedLog : public std::enable_shared_from_this<LimitedLog> {
  public:
    LimitedLog(const asio::any_io_executor& executor, EventLog log) : timer_(executor), log_(std::move(log)) {}

    // Logs an event of a peer, IP address and port. The first of its kind from an address is a line at once; further
    // ones are joined to one line a second: that of the last of them, with their number as the fact `count`.
    void note(const std::string& event, const std::string& peer,
              std::vector<std::pair<std::string, std::string>> more_facts = {});
    // Writes the lines that still wait.
    void flush();

  private:
    using Clock = std::chrono::steady_clock;
    using Facts = std::vector<std::pair<std::string, std::string>>;
    struct Waiting {
        Clock::time_point last_line;
        std::uint64_t count = 0;  // events since then
        Facts facts;              // of the last one
    };

    void write(const std::string& event, Waiting& waiting, Clock::time_point now);
    void write_later();

    asio::steady_timer timer_;
    const EventLog log_;
    std::map<std::pair<std::string, std::string>, Waiting> waiting_;  // by event and address
    bool timer_runs_ = false;
};

}  // namespace trellis
