// Calls of many devices in few messages.
#pragma once

#include <memory>
#include <utility>

namespace trellis {

// What gathers messages for some remote devices.
class Sender {
  public:
    virtual ~Sender() = default;
    virtual void send_gathered() = 0;
};

// As long as one exists, what its thread flushes for devices that share a connection, one after the other, leaves with
// one write: when another connection has its turn, or the object ends. Whoever waits for a device meanwhile sends what
// its connection has gathered.
class SentTogether {
  public:
    SentTogether() : outer_(std::exchange(present_, this)) {}
    ~SentTogether() {
        present_ = outer_;
        if (sender_ != nullptr) sender_->send_gathered();
    }
    SentTogether(const SentTogether&) = delete;
    SentTogether& operator=(const SentTogether&) = delete;

    // The sender has gathered something: it sends as the object of this thread has it, or now if there is none.
    static void send(const std::shared_ptr<Sender>& sender) {
        if (present_ == nullptr) return sender->send_gathered();
        if (present_->sender_ == sender) return;
        if (present_->sender_ != nullptr) present_->sender_->send_gathered();
        present_->sender_ = sender;
    }

  private:
    inline static thread_local SentTogether* present_ = nullptr;

    SentTogether* const outer_;  // of the same thread
    std::shared_ptr<Sender> sender_;
};

}  // namespace trellis
