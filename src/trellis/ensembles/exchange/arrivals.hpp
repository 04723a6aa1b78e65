// The parts of an ensemble whose steps are done, in the order in which devices' threads report them.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>

namespace trellis {

class Arrivals {
  public:
    void add(std::size_t part) {
        {
            const std::scoped_lock lock(mutex_);
            parts_.push_back(part);
        }
        changed_.notify_one();
    }

    // Waits for the next part.
    std::size_t next() {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return !parts_.empty(); });
        const std::size_t part = parts_.front();
        parts_.pop_front();
        return part;
    }

  private:
    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<std::size_t> parts_;
};

}  // namespace trellis
