// The clock of all emulated devices of a process: one thread that runs each call when it is due.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <thread>

namespace trellis {

template <class Object>
class OneOfProcess;

class EmulatedClock {
  public:
    using Clock = std::chrono::steady_clock;

    // The clock of the process, whose thread begins with the first call and ends with the process.
    static EmulatedClock& of_process();
    ~EmulatedClock() = delete;
    EmulatedClock(const EmulatedClock&) = delete;
    EmulatedClock& operator=(const EmulatedClock&) = delete;

    // Runs a call at `time` or later; calls of the same time run in the order in which they were given.
    void at(Clock::time_point time, std::function<void()> call);

  private:
    friend class OneOfProcess<EmulatedClock>;
    EmulatedClock();
    void end();
    void work();

    std::mutex mutex_;
    std::condition_variable changed_;
    std::multimap<Clock::time_point, std::function<void()>> calls_;
    bool ending_ = false;
    std::thread thread_;  // last: it uses everything above
};

}  // namespace trellis
