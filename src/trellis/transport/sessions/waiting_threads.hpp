// Threads that wait for results of the network's thread.
#pragma once

#include <asio/post.hpp>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <utility>

#include "trellis/transport/streams/network_thread.hpp"

namespace trellis {

// Guarded by a mutex of its owner.
class WaitingThreads {
  public:
    // Returns once the condition holds.
    template <class Condition>
    void wait(std::unique_lock<std::mutex>& lock, const Condition& condition) {
        ++waiting_;
        changed_.wait(lock, condition);
        --waiting_;
    }
    // All threads test their conditions again. Called without the mutex.
    void wake() { changed_.notify_all(); }
    // The same, after the network's thread has processed everything that has arrived: a thread that waits for several
    // devices in turn is woken once and not for each of them.
    void wake_soon(const std::unique_lock<std::mutex>& lock, std::shared_ptr<const void> owner) {
        if (waiting_ == 0 || std::exchange(waking_, true)) return;
        asio::post(network(), [this, mutex = lock.mutex(), owner = std::move(owner)] {
            {
                const std::scoped_lock again(*mutex);
                waking_ = false;
            }
            changed_.notify_all();
        });
    }

  private:
    std::condition_variable changed_;
    int waiting_ = 0;
    bool waking_ = false;  // wake_soon is pending
};

}  // namespace trellis
