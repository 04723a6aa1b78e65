#include "trellis/devices/emulated/emulated_clock.hpp"

#include "trellis/base/forks/one_of_process.hpp"

namespace trellis {

EmulatedClock::EmulatedClock() : thread_([this] { work(); }) {}

EmulatedClock& EmulatedClock::of_process() { return OneOfProcess<EmulatedClock>::get(); }

void EmulatedClock::end() {
    {
        const std::scoped_lock lock(mutex_);
        ending_ = true;
    }
    changed_.notify_all();
    thread_.join();
}

void EmulatedClock::at(Clock::time_point time, std::function<void()> call) {
    {
        const std::scoped_lock lock(mutex_);
        calls_.emplace(time, std::move(call));
    }
    changed_.notify_all();
}

void EmulatedClock::work() {
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
