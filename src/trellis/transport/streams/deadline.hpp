// A deadline: calls a function if a scope is not left in time.
#pragma once

#include <asio/any_io_executor.hpp>
#include <asio/steady_timer.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <utility>

namespace trellis {

// Text of a time for messages, such as "2.5 s".
inline std::string seconds_text(std::chrono::milliseconds time) {
    return std::to_string(time.count() / 1000) + "." + std::to_string(time.count() % 1000 / 100) + " s";
}

class Deadline {
  public:
    // The executor calls late after `time`, unless the object is destroyed by then. The executor runs on one thread,
    // which also destroys the object.
    Deadline(const asio::any_io_executor& executor, std::chrono::milliseconds time, std::function<void()> late)
        : timer_(executor, time), late_(std::make_shared<std::function<void()>>(std::move(late))) {
        timer_.async_wait([call = std::weak_ptr(late_)](const asio::error_code& failure) {
            if (const auto still = call.lock(); still && !failure) (*still)();
        });
    }

  private:
    asio::steady_timer timer_;
    std::shared_ptr<std::function<void()>> late_;
};

}  // namespace trellis
