// Pool of events of a GPU's driver, since creating one takes longer than recording it.
#pragma once

#include <memory>
#include <mutex>
#include <type_traits>
#include <vector>

namespace trellis {

// Handle: a pointer, as the driver has events.
template <class Handle>
class EventPool : public std::enable_shared_from_this<EventPool<Handle>> {
  public:
    using Event = std::shared_ptr<std::remove_pointer_t<Handle>>;

    // create makes an event of the current device, or throws; destroy does not throw.
    EventPool(Handle (*create)(), void (*destroy)(Handle)) : create_(create), destroy_(destroy) {}
    ~EventPool() {
        for (Handle event : all_) destroy_(event);
    }
    EventPool(const EventPool&) = delete;
    EventPool& operator=(const EventPool&) = delete;

    // An event of the current device, which comes back to the pool by itself.
    Event take() {
        const std::scoped_lock lock(mutex_);
        if (free_.empty()) {
            Handle event = create_();
            all_.push_back(event);
            free_.push_back(event);
        }
        Handle event = free_.back();
        free_.pop_back();
        return {event, [pool = this->shared_from_this()](Handle each) { pool->give_back(each); }};
    }

  private:
    void give_back(Handle event) {
        const std::scoped_lock lock(mutex_);
        free_.push_back(event);
    }

    Handle (*const create_)();
    void (*const destroy_)(Handle);
    std::mutex mutex_;
    std::vector<Handle> all_, free_;
};

}  // namespace trellis
