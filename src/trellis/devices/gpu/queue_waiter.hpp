// A thread that waits for marks of a queue and then calls functions, for devices that cannot do so themselves.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

#include "trellis/devices/device.hpp"

namespace trellis {

class QueueWaiter {
  public:
    explicit QueueWaiter(Queue& queue);
    // Waits until all functions have been called.
    ~QueueWaiter();
    QueueWaiter(const QueueWaiter&) = delete;
    QueueWaiter& operator=(const QueueWaiter&) = delete;

    // Runs `call` once the mark is reached or the device has failed. Marks must be given in order.
    void then(const Mark& mark, std::function<void()> call);

  private:
    struct Awaited {
        Mark mark;
        std::function<void()> call;
    };
    void work();

    Queue& queue_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<Awaited> awaited_;
    bool ending_ = false;
    std::thread thread_;  // last: it uses everything above
};

}  // namespace trellis
