#include "trellis/devices/gpu/queue_waiter.hpp"

#include <utility>

namespace trellis {

QueueWaiter::QueueWaiter(Queue& queue) : queue_(queue), thread_([this] { work(); }) {}

QueueWaiter::~QueueWaiter() {
    {
        const std::scoped_lock lock(mutex_);
        ending_ = true;
    }
    changed_.notify_all();
    thread_.join();
}

void QueueWaiter::then(const Mark& mark, std::function<void()> call) {
    {
        const std::scoped_lock lock(mutex_);
        awaited_.push_back({mark, std::move(call)});
    }
    changed_.notify_all();
}

void QueueWaiter::work() {
    std::unique_lock lock(mutex_);
    while (true) {
        changed_.wait(lock, [&] { return ending_ || !awaited_.empty(); });
        if (awaited_.empty()) return;
        const Awaited next = std::move(awaited_.front());
        awaited_.pop_front();
        lock.unlock();
        queue_.settle(next.mark);  // the device records its failure for `call`
        next.call();
        lock.lock();
    }
}

}  // namespace trellis
