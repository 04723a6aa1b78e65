// Times at which the client saves the state of a device, from which another device continues after a failure. Saving
// takes a hundredth of the time of the work.
#pragma once

#include <chrono>
#include <cstddef>
#include <utility>

namespace trellis {

class SavingTime {
  public:
    // A piece of work begins or ends; several may be under way at the same time.
    void begin_work() {
        if (under_way_++ == 0) since_ = Clock::now();
    }
    void end_work() {
        if (--under_way_ == 0) worked_ += Clock::now() - since_;
    }

    // True if saving has taken less than its share of the time so far, and before the first saving.
    bool due() const {
        constexpr double share = 0.01;
        return share * (worked_ + (under_way_ > 0 ? Clock::now() - since_ : Clock::duration::zero())) >= saving_;
    }
    // Calls save and measures its time.
    template <class Save>
    void save(Save&& save) {
        const auto begin = Clock::now();
        std::forward<Save>(save)();
        saving_ += Clock::now() - begin;
    }

  private:
    using Clock = std::chrono::steady_clock;

    std::size_t under_way_ = 0;
    Clock::time_point since_{};  // begin of the first piece under way
    std::chrono::duration<double> worked_{}, saving_{};
};

}  // namespace trellis
