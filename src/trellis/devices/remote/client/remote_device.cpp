#include "trellis/devices/remote/open_remote_device.hpp"

#include <algorithm>
#include <bit>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "trellis/devices/kernel_text.hpp"
#include "trellis/devices/remote/client/gathered_calls.hpp"
#include "trellis/devices/remote/client/server_connection.hpp"
#include "trellis/devices/remote/open.hpp"
#include "trellis/packing/delta_base_cache.hpp"
#include "trellis/transport/sessions/waiting_threads.hpp"

namespace trellis {

namespace {

class RemoteQueue;

class RemoteDevice : public Device, public AnswerReceiver {
  public:
    RemoteDevice(std::string name, std::shared_ptr<ServerConnection> connection)
        : name_(std::move(name)), connection_(std::move(connection)) {
        if (parse_address(name_).kind == AddressKind::unix_socket)
            delta_bases_.keep(0);  // copying is faster than packing
    }
    ~RemoteDevice() override;
    RemoteDevice(const RemoteDevice&) = delete;
    RemoteDevice& operator=(const RemoteDevice&) = delete;

    // Opens the device at the server and waits for it.
    void open(const std::string& device, std::size_t memory);

    const std::string& name() const override { return name_; }
    std::string description() const override { return description_; }
    std::size_t memory_bytes() const override { return memory_; }
    std::size_t memory_left() const override { return memory_ - used_; }
    std::unique_ptr<Queue> make_queue() override;
    std::size_t queues_wanted() const override { return queues_wanted_; }

    std::span<std::byte> destination_of(const wire::Downloaded& answer) override;
    void answered(const wire::Answer& answer) override;
    void lost(const std::string& why) override;

  private:
    friend class RemoteQueue;
    using Lock = std::unique_lock<std::mutex>;

    std::byte* allocate(std::size_t bytes) override;
    void release(std::byte* address, std::size_t bytes) override;

    // See GatheredCalls::add.
    void gather(const Lock& lock, const wire::Call& call, std::span<const std::byte> data = {},
                std::shared_ptr<const void> owner = nullptr);
    void flush(const Lock& lock);
    // Has the server make a kernel that it cannot know: of an interaction that is compiled at run time.
    void make_kernel(const Lock& lock, std::string_view name);
    void throw_failure(const Lock& /*lock*/) const {
        if (failure_) throw DeviceError(name_, *failure_);
    }
    RemoteQueue& queue_of(std::uint32_t number);

    const std::string name_;
    const std::shared_ptr<ServerConnection> connection_;
    std::uint32_t number_ = 0;
    std::string description_;
    std::size_t memory_ = 0, queues_wanted_ = 0;
    std::atomic<std::size_t> used_ = 0;

    std::mutex mutex_;  // guards everything below
    WaitingThreads waiting_;
    bool opened_ = false;
    std::optional<std::string> failure_;  // a failed device still answers, a lost one does not
    bool lost_ = false;
    std::uint64_t last_memory_ = 0;
    std::uint32_t last_queue_ = 0;
    std::map<std::uint32_t, RemoteQueue*> queues_;
    std::set<std::string, std::less<>> kernels_;  // launched before
    GatheredCalls gathered_;
    DeltaBaseCache delta_bases_{wire::most_delta_base_bytes};
    std::uint64_t round_trips_ = 0;
};

class RemoteQueue : public Queue {
  public:
    RemoteQueue(RemoteDevice& device, std::uint32_t number) : device_(device), number_(number) {}
    ~RemoteQueue() override {
        const RemoteDevice::Lock lock(device_.mutex_);
        device_.queues_.erase(number_);
        device_.gather(lock, wire::EndQueue{number_});
    }
    RemoteQueue(const RemoteQueue&) = delete;
    RemoteQueue& operator=(const RemoteQueue&) = delete;

    // Long copies are sent in parts, each with its own call.
    void upload(const DeviceMemory& to, std::size_t offset, std::span<const std::byte> from) override {
        const RemoteDevice::Lock lock(device_.mutex_);
        do {
            const auto part = from.first(std::min<std::size_t>(from.size(), Session::largest_data));
            device_.gather(lock, wire::Upload{number_, key_of(to), offset, part.size()}, part);
            count_upload(part.size());
            offset += part.size();
            from = from.subspan(part.size());
        } while (!from.empty());
    }
    void upload_delta(const DeviceMemory& to, std::span<const std::byte> from, const NumberRecords& records,
                      bool restart) override {
        const std::shared_ptr<DeltaBase> base = device_.delta_bases_.of(key_of(to), to.bytes());
        if (base == nullptr) return upload(to, 0, from);
        const std::vector<PackedPart> parts = base->pack(records, from, restart);
        const RemoteDevice::Lock lock(device_.mutex_);
        for (const PackedPart& part : parts) {
            const auto data = part.packed ? std::span(*part.packed) : from.subspan(part.offset, part.bytes);
            device_.gather(lock,
                           wire::UploadDelta{number_, key_of(to), part.offset, part.bytes, data.size(),
                                             records.value_bytes, records.values, records.split, part.former},
                           data, part.packed);
            count_upload(data.size());
        }
    }
    void download(const DeviceMemory& from, std::size_t offset, std::span<std::byte> to) override {
        const RemoteDevice::Lock lock(device_.mutex_);
        while (!to.empty()) {
            const auto part = to.first(std::min<std::size_t>(to.size(), Session::largest_data));
            device_.gather(lock, wire::Download{number_, key_of(from), offset, part.size()});
            downloads_.push_back({++submitted_, part});
            offset += part.size();
            to = to.subspan(part.size());
            will_answer(submitted_);
        }
    }
    void launch(std::string_view kernel, std::span<const std::byte> constants,
                std::span<const DeviceMemory* const> memory) override {
        const RemoteDevice::Lock lock(device_.mutex_);
        device_.make_kernel(lock, kernel);
        wire::Launch call{number_, std::string(kernel), {constants.begin(), constants.end()}, {}};
        for (const DeviceMemory* part : memory) call.memory.push_back(key_of(*part));
        device_.gather(lock, call);
        ++submitted_;
    }

    Mark mark() override {
        const RemoteDevice::Lock lock(device_.mutex_);
        return {this, submitted_};
    }
    void after(const Mark& mark) override {
        const RemoteDevice::Lock lock(device_.mutex_);
        const auto& other = static_cast<const RemoteQueue&>(*mark.queue);
        device_.gather(lock, wire::After{number_, other.number_, mark.number});
        ++submitted_;
    }
    void flush() override {
        const RemoteDevice::Lock lock(device_.mutex_);
        device_.flush(lock);
    }

    void wait(const Mark& mark) override {
        RemoteDevice::Lock lock(device_.mutex_);
        if (mark.number > will_answer_) {
            device_.gather(lock, wire::Notify{number_});
            will_answer(submitted_);
        }
        device_.flush(lock);
        const bool arrived = done_ >= mark.number;
        const std::uint64_t asked = trip_of(mark.number);
        device_.connection_->begin_wait();
        device_.waiting_.wait(lock, [&] { return done_ >= mark.number || device_.lost_; });
        device_.connection_->end_wait();
        if (!arrived && asked == device_.round_trips_) {
            ++device_.round_trips_;
            ++times_.round_trips;
        }
        device_.throw_failure(lock);
    }

    void then(std::function<void()> call) override {
        {
            const RemoteDevice::Lock lock(device_.mutex_);
            if (submitted_ > will_answer_) {
                device_.gather(lock, wire::Notify{number_});
                will_answer(submitted_);
            }
            device_.flush(lock);
            if (done_ < submitted_ && !device_.lost_) {
                device_.connection_->begin_wait();
                return calls_back_.push_back({submitted_, std::move(call)});
            }
        }
        call();
    }

    QueueTimes take_times() override {
        const RemoteDevice::Lock lock(device_.mutex_);
        return std::exchange(times_, {});
    }

    // Called with the device's mutex locked.
    std::span<std::byte> destination_of(const wire::Downloaded& answer) const {
        if (downloads_.empty() || downloads_.front().number != answer.number ||
            downloads_.front().to.size() != answer.bytes)
            throw TransportError("the bytes of a download arrive that was not requested");
        return downloads_.front().to;
    }
    void done(const wire::Done& answer) {
        if (answer.number > submitted_) throw TransportError("calls are done that were not made");
        done_ = std::max(done_, answer.number);
        while (!downloads_.empty() && downloads_.front().number <= done_) downloads_.pop_front();
        while (!asked_.empty() && asked_.front().number <= done_) asked_.pop_front();
        times_ += answer.times;
        times_.bytes_up -= answer.times.bytes_up;  // counted as sent, not as unpacked
    }
    // Removes the functions to call now, without the mutex: those whose calls are done, or all if the device is lost.
    std::vector<std::function<void()>> take_calls_back() {
        std::vector<std::function<void()>> due;
        while (!calls_back_.empty() && (calls_back_.front().number <= done_ || device_.lost_)) {
            due.push_back(std::move(calls_back_.front().call));
            calls_back_.pop_front();
            device_.connection_->end_wait();
        }
        return due;
    }

  private:
    struct Pending {
        std::uint64_t number;
        std::span<std::byte> to;
    };
    struct CallBack {
        std::uint64_t number;
        std::function<void()> call;
    };
    // Answers up to `number` were requested after `trips` round trips.
    struct Asked {
        std::uint64_t number, trips;
    };

    static std::uint64_t key_of(const DeviceMemory& memory) {
        return reinterpret_cast<std::uintptr_t>(memory.address());
    }
    void count_upload(std::size_t bytes) { ++submitted_, times_.bytes_up += bytes; }
    void will_answer(std::uint64_t number) {
        will_answer_ = number;
        asked_.push_back({number, device_.round_trips_});
    }
    std::uint64_t trip_of(std::uint64_t number) const {
        const auto found = std::ranges::find_if(asked_, [&](const Asked& asked) { return asked.number >= number; });
        return found == asked_.end() ? 0 : found->trips;
    }

    RemoteDevice& device_;
    const std::uint32_t number_;
    std::uint64_t submitted_ = 0, will_answer_ = 0, done_ = 0;
    std::deque<Pending> downloads_;
    std::deque<Asked> asked_;
    std::deque<CallBack> calls_back_;
    QueueTimes times_;
};

RemoteDevice::~RemoteDevice() {
    if (number_ == 0) return;
    const Lock lock(mutex_);
    gather(lock, wire::CloseDevice{});
    flush(lock);
    connection_->remove(number_);  // the frames are sent before those of a device that replaces it
}

void RemoteDevice::open(const std::string& device, std::size_t memory) {
    const auto self = std::static_pointer_cast<RemoteDevice>(shared_from_this());
    number_ = connection_->add(self);
    Lock lock(mutex_);
    gather(lock, wire::OpenDevice{device, memory});
    flush(lock);
    connection_->begin_wait();
    waiting_.wait(lock, [&] { return opened_ || failure_; });
    connection_->end_wait();
    if (opened_) return;
    const std::string failure = failure_.value_or("");
    connection_->remove(std::exchange(number_, 0));
    if (lost_) throw DeviceError(name_, failure);
    throw InputError(name_ + " cannot be opened: " + failure);
}

std::unique_ptr<Queue> RemoteDevice::make_queue() {
    const Lock lock(mutex_);
    auto queue = std::make_unique<RemoteQueue>(*this, ++last_queue_);
    queues_[last_queue_] = queue.get();
    gather(lock, wire::MakeQueue{last_queue_});
    return queue;
}

// No answer is needed: the server has reserved all memory of this account.
std::byte* RemoteDevice::allocate(std::size_t bytes) {
    const Lock lock(mutex_);
    if (bytes > memory_ - used_)
        throw DeviceError(name_, "is out of memory: " + std::to_string(bytes) + " bytes asked for, " +
                                     std::to_string(memory_ - used_) + " of " + std::to_string(memory_) + " left");
    used_ += bytes;
    gather(lock, wire::Allocate{++last_memory_, bytes});
    return std::bit_cast<std::byte*>(std::uintptr_t{last_memory_});
}

void RemoteDevice::release(std::byte* address, std::size_t bytes) {
    const Lock lock(mutex_);
    used_ -= bytes;
    delta_bases_.forget(reinterpret_cast<std::uintptr_t>(address));
    gather(lock, wire::Release{reinterpret_cast<std::uintptr_t>(address)});
}

void RemoteDevice::gather(const Lock& lock, const wire::Call& call, std::span<const std::byte> data,
                          std::shared_ptr<const void> owner) {
    if (lost_) return;
    if (!gathered_.has_room_for(data.size())) flush(lock);
    gathered_.add(call, data, std::move(owner));
    if (gathered_.are_enough()) flush(lock);
}

void RemoteDevice::make_kernel(const Lock& lock, std::string_view name) {
    if (kernels_.contains(name)) return;
    kernels_.emplace(name);
    const auto text = find_kernel_text(name);
    if (text != nullptr && !text->graph.empty()) gather(lock, wire::MakeKernel{std::string(name), text->graph});
}

void RemoteDevice::flush(const Lock& /*lock*/) {
    if (gathered_.none()) return;
    Frame frame = gathered_.take();
    frame.header.device = number_;
    connection_->send(std::move(frame));
}

RemoteQueue& RemoteDevice::queue_of(std::uint32_t number) {
    const auto found = queues_.find(number);
    if (found == queues_.end()) throw TransportError("answer names an unknown queue");
    return *found->second;
}

std::span<std::byte> RemoteDevice::destination_of(const wire::Downloaded& answer) {
    const Lock lock(mutex_);
    return queue_of(answer.queue).destination_of(answer);
}

void RemoteDevice::answered(const wire::Answer& answer) {
    std::vector<std::function<void()>> due;
    {
        const Lock lock(mutex_);
        if (const auto* opened = std::get_if<wire::Opened>(&answer)) {
            description_ = opened->description;
            memory_ = opened->memory;
            queues_wanted_ = std::clamp<std::uint64_t>(opened->queues_wanted, 1, 16);
            opened_ = true;
        } else if (const auto* failed = std::get_if<wire::Failed>(&answer)) {
            if (!failure_) failure_ = failed->failure;
        } else if (const auto* done = std::get_if<wire::Done>(&answer)) {
            if (queues_.contains(done->queue)) {
                queue_of(done->queue).done(*done);
                due = queue_of(done->queue).take_calls_back();
            }
        }
        waiting_.wake_soon(lock, shared_from_this());
    }
    for (const auto& call : due) call();
}

void RemoteDevice::lost(const std::string& why) {
    std::vector<std::function<void()>> due;
    {
        const Lock lock(mutex_);
        lost_ = true;
        failure_ = "is lost: " + why;
        gathered_ = {};
        for (const auto& [number, queue] : queues_)
            std::ranges::move(queue->take_calls_back(), std::back_inserter(due));
    }
    waiting_.wake();
    for (const auto& call : due) call();
}

}  // namespace

std::shared_ptr<Device> open_remote_device(const std::string& name, std::size_t memory,
                                           std::chrono::milliseconds grace) {
    const Address address = parse_address(name);
    if (address.device.empty())
        throw InputError("'" + name + "' names a server: allowed is one of its devices, as in " + address.server() +
                         "/cpu");
    const auto device = std::make_shared<RemoteDevice>(name, ServerConnection::to(address, grace));
    device->open(address.device, memory);
    return device;
}

}  // namespace trellis
