#include "trellis/devices/sent_together.hpp"

#include <utility>

namespace trellis {

namespace {

thread_local SentTogether* present = nullptr;

}  // namespace

SentTogether::SentTogether() : outer_(std::exchange(present, this)) {}

SentTogether::~SentTogether() {
    present = outer_;
    if (sender_ != nullptr) sender_->send_gathered();
}

void SentTogether::send(const std::shared_ptr<Sender>& sender) {
    if (present == nullptr) return sender->send_gathered();
    if (present->sender_ == sender) return;
    if (present->sender_ != nullptr) present->sender_->send_gathered();
    present->sender_ = sender;
}

}  // namespace trellis
