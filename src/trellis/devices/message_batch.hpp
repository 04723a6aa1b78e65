// Calls to many remote devices in few messages.
#pragma once

#include <memory>
#include <utility>

namespace trellis {

// A connection that gathers the messages of its remote devices.
class MessageSender {
  public:
    virtual ~MessageSender() = default;
    virtual void send_gathered() = 0;
};

// While an object of this class exists, the messages that its thread flushes for devices of one connection leave with
// one write: when a device of another connection is flushed, or when the object ends. A thread that waits for a device
// sends what that device's connection has gathered.
class MessageBatch {
  public:
    MessageBatch() : outer_(std::exchange(present_, this)) {}
    ~MessageBatch() {
        present_ = outer_;
        if (sender_ != nullptr) sender_->send_gathered();
    }
    MessageBatch(const MessageBatch&) = delete;
    MessageBatch& operator=(const MessageBatch&) = delete;

    // Called when `sender` has gathered a message: sends it with the batch of this thread, at once if it has no batch.
    static void send(const std::shared_ptr<MessageSender>& sender) {
        if (present_ == nullptr) return sender->send_gathered();
        if (present_->sender_ == sender) return;
        if (present_->sender_ != nullptr) present_->sender_->send_gathered();
        present_->sender_ = sender;
    }

  private:
    inline static thread_local MessageBatch* present_ = nullptr;

    MessageBatch* const outer_;  // the enclosing batch of the same thread
    std::shared_ptr<MessageSender> sender_;
};

}  // namespace trellis
