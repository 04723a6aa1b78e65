// A thread that releases objects whose destructors wait for a device.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace trellis {

class DiscardThread {
  public:
    DiscardThread() : thread_([this] { work(); }) {}
    ~DiscardThread() { finish(); }
    DiscardThread(const DiscardThread&) = delete;
    DiscardThread& operator=(const DiscardThread&) = delete;

    void discard(std::shared_ptr<void> object) {
        {
            const std::scoped_lock lock(mutex_);
            if (ending_) return;  // the caller's thread releases it
            objects_.push_back(std::move(object));
        }
        changed_.notify_all();
    }
    // Returns when all objects have been released.
    void finish() {
        {
            const std::scoped_lock lock(mutex_);
            ending_ = true;
        }
        changed_.notify_all();
        if (thread_.joinable()) thread_.join();
    }

  private:
    void work() {
        std::unique_lock lock(mutex_);
        while (!ending_ || !objects_.empty()) {
            changed_.wait(lock, [&] { return ending_ || !objects_.empty(); });
            auto taken = std::exchange(objects_, {});
            lock.unlock();
            taken.clear();
            lock.lock();
        }
    }

    std::mutex mutex_;
    std::condition_variable changed_;
    std::vector<std::shared_ptr<void>> objects_;
    bool ending_ = false;
    std::thread thread_;  // last: it uses everything above
};

}  // namespace trellis
