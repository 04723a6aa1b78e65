#include "trellis/devices/rehearsal/conductor.hpp"

namespace trellis {

Conductor& Conductor::of_process() {
    static Conductor conductor;
    return conductor;
}

Conductor::~Conductor() {
    {
        const std::scoped_lock lock(mutex_);
        ending_ = true;
    }
    changed_.notify_all();
    thread_.join();
}

void Conductor::at(Clock::time_point time, std::function<void()> call) {
    {
        const std::scoped_lock lock(mutex_);
        calls_.emplace(time, std::move(call));
    }
    changed_.notify_all();
}

void Conductor::work() {
    std::unique_lock lock(mutex_);
    while (!ending_) {
        if (calls_.empty()) {
            changed_.wait(lock);
            continue;
        }
        const auto next = calls_.begin();
        if (const auto due = next->first; due > Clock::now()) {
            changed_.wait_until(lock, due);
            continue;
        }
        const std::function<void()> call = std::move(next->second);
        calls_.erase(next);
        lock.unlock();
        call();
        lock.lock();
    }
}

}  // namespace trellis
