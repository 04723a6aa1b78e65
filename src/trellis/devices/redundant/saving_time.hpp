// When to save the state of a device at its client, so that another can go on from there if it fails: as often as a
// hundredth of the time of the work allows.
#pragma once

#include <chrono>
#include <cstddef>
#include <utility>

namespace trellis {

class SavingTime {
  public:
    // Work begins, or ends; several pieces of it may be under way at once.
    void begin_work() {
        if (under_way_++ == 0) since_ = Clock::now();
    }
    void end_work() {
        if (--under_way_ == 0) worked_ += Clock::now() - since_;
    }

    // True if saving has taken less than its share of the time until now; also before the first time.
    bool due() const {
        constexpr double share = 0.01;
        return share * (worked_ + (under_way_ > 0 ? Clock::now() - since_ : Clock::duration::zero())) >= saving_;
    }
    // Saves, and counts the time that it takes.
    template <class Save>
    void save(Save&& save) {
        const auto begin = Clock::now();
        std::forward<Save>(save)();
        saving_ += Clock::now() - begin;
    }

  private:
    using Clock = std::chrono::steady_clock;

    std::size_t under_way_ = 0;
    Clock::time_point since_{};  // when the first piece that is under way began
    std::chrono::duration<double> worked_{}, saving_{};
};

}  // namespace trellis
