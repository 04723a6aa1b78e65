#include "trellis/devices/server/served_device.hpp"

#include <algorithm>
#include <asio/post.hpp>
#include <optional>
#include <string>
#include <utility>

#include "trellis/devices/known_kernels.hpp"
#include "trellis/devices/server/kernel_error.hpp"
#include "trellis/transport/sessions/session.hpp"

namespace trellis {

namespace {

// Limits that no client of Trellis reaches.
constexpr std::size_t most_queues = 64, most_ended_queues = 1024, most_memory = 1 << 20;
constexpr std::size_t most_kernels = 64, longest_kernel_name = 1024;

}  // namespace

ServedDevice::ServedDevice(std::shared_ptr<LocalDevice> device, Executor executor, SendAnswer send, Discard discard,
                           std::shared_ptr<AnswerAccount> answers, std::function<void()> compiled)
    : device_(std::move(device)),
      executor_(std::move(executor)),
      send_(std::move(send)),
      discard_(std::move(discard)),
      staging_(device_),
      answers_(std::move(answers)),
      compiled_(std::move(compiled)) {}

// Called before carry_out, which checks the call again.
StagedBytes ServedDevice::direct_memory(std::span<const std::byte> body, std::uint64_t bytes) {
    ByteReader reader(body);
    const wire::Call call = wire::get_call(reader);
    const auto* upload = std::get_if<wire::Upload>(&call);
    if (upload == nullptr || !reader.at_end() || upload->bytes != bytes || device_->failed()) return {};
    part_of(upload->memory, upload->offset, bytes);
    const Memory memory = memory_of(upload->memory);
    std::byte* const place = queue_of(upload->queue).queue->direct_address(*memory, upload->offset);
    if (place == nullptr) return {};
    return {std::shared_ptr<std::byte>(memory, place), {place, bytes}};
}

// No queue may be destroyed while another one waits for it.
ServedDevice::~ServedDevice() {
    device_->abandon();
    if (compiler_.joinable()) compiler_.join();  // it may launch a kernel
    for_each_queue([](ServedQueue& queue) {
        try {
            queue.queue->wait();
        } catch (const DeviceError&) {
            return;  // the client has closed the device and expects no answer
        }
    });
}

template <class Call>
void ServedDevice::for_each_queue(Call&& call) {
    for (auto& [number, queue] : queues_) call(queue);
    for (ServedQueue& queue : ended_) call(queue);
}

void ServedDevice::carry_out(const wire::Call& call, std::span<const std::byte>& data) {
    std::visit(
        [&](const auto& one) {
            if constexpr (requires { upload(one, data); }) {
                upload(one, data);
            } else if constexpr (requires { carry(one); }) {
                carry(one);
            } else {
                throw TransportError("unknown device call");
            }
        },
        call);
}

void ServedDevice::end_frame(const std::shared_ptr<ReceivedFrame>& frame) {
    for_each_queue([&](ServedQueue& queue) {
        if (std::exchange(queue.used, false)) hold_until_done(queue, frame);
    });
}

void ServedDevice::carry(const wire::MakeQueue& call) {
    if (queues_.size() >= most_queues || ended_.size() >= most_ended_queues || queues_.contains(call.queue))
        throw TransportError("a queue is made twice, or there are too many");
    // the queue owns the device, since it may be released later than this object
    queues_[call.queue].queue = {device_->make_local_queue().release(),
                                 [device = device_](const LocalQueue* queue) { delete queue; }};
}

// Earlier calls of the queue are still carried out: memory and frames are kept for them.
void ServedDevice::carry(const wire::EndQueue& call) {
    const std::shared_ptr<LocalQueue> queue = queue_of(call.queue).queue;
    ended_.push_back(std::move(queue_of(call.queue)));
    queues_.erase(call.queue);
    queue->then([self = weak_from_this(), executor = executor_, number = queue.get()]() mutable {
        asio::post(executor, [self = std::move(self), number] {
            if (const auto still = self.lock()) still->release_ended(number);
        });
    });
}

// The queue is done, but other queues may still wait for its marks.
void ServedDevice::release_ended(const LocalQueue* done) {
    const auto found =
        std::ranges::find_if(ended_, [done](const ServedQueue& queue) { return queue.queue.get() == done; });
    if (found == ended_.end()) return;
    const std::shared_ptr<LocalQueue> queue = std::move(found->queue);
    ended_.erase(found);
    const std::shared_ptr<const void> held(nullptr, [discard = discard_, queue](const void*) { discard(queue); });
    for_each_queue([&](ServedQueue& other) { hold_until_done(other, held); });
}

void ServedDevice::carry(const wire::Allocate& call) {
    if (call.memory == 0 || call.bytes == 0 || memory_.size() >= most_memory || memory_.contains(call.memory))
        throw TransportError("memory is allocated twice, or too often");
    try {
        memory_[call.memory] = std::make_shared<DeviceMemory>(device_, call.bytes);
    } catch (const DeviceError& error) {
        device_->fail(error.failure());
        memory_[call.memory] = std::make_shared<DeviceMemory>();
    }
}

// A correct client has waited for the queues; in any case the memory is kept until they are done.
void ServedDevice::carry(const wire::Release& call) {
    const Memory memory = memory_of(call.memory);
    memory_.erase(call.memory);
    delta_bases_.forget(call.memory);
    for_each_queue([&](ServedQueue& queue) { hold_until_done(queue, memory); });
}

void ServedDevice::upload(const wire::Upload& call, std::span<const std::byte>& data) {
    ServedQueue& queue = queue_of(call.queue);
    if (call.bytes > data.size()) throw TransportError("an upload has fewer bytes than it announces");
    const auto bytes = data.first(call.bytes);
    data = data.subspan(call.bytes);
    ++queue.calls;
    queue.used = true;
    if (device_->failed()) return;
    const DeviceMemory& memory = part_of(call.memory, call.offset, call.bytes);
    if (!bytes.empty() && bytes.data() == queue.queue->direct_address(memory, call.offset))
        queue.queue->uploaded(bytes.size());  // they were received there
    else
        queue.queue->upload(memory, call.offset, bytes);
}

// Packed numbers are unpacked here, by the one thread of all clients: parts are short.
void ServedDevice::upload(const wire::UploadDelta& call, std::span<const std::byte>& data) {
    ServedQueue& queue = queue_of(call.queue);
    const NumberRecords records{call.value_bytes, call.values, call.split};
    if (!records.valid() || call.bytes % records.bytes() != 0 || call.former > 2 ||
        call.bytes > Session::largest_data || call.packed > data.size() ||
        (call.former == 0 && call.packed != call.bytes))
        throw TransportError("malformed packed upload");
    const auto packed = data.first(call.packed);
    data = data.subspan(call.packed);
    ++queue.calls;
    queue.used = true;
    if (device_->failed()) return;
    const DeviceMemory& memory = part_of(call.memory, call.offset, call.bytes);
    const std::shared_ptr<DeltaBase> base = delta_bases_.of(call.memory, memory.bytes());
    if (base == nullptr) throw TransportError("packed uploads need more memory than allowed");
    if (call.former == 0) {
        base->note(call.offset, packed);
        queue.queue->upload(memory, call.offset, packed);
        return;
    }
    queue.queue->upload(memory, call.offset, base->unpack(records, call.former, packed, call.offset, call.bytes));
    hold_until_done(queue, base);
}

void ServedDevice::carry(const wire::Download& call) {
    ServedQueue& queue = queue_of(call.queue);
    if (call.bytes > Session::largest_data) throw TransportError("a download asks for too many bytes at once");
    ++queue.calls;
    StagedBytes there;
    if (!device_->failed()) {
        const DeviceMemory& memory = part_of(call.memory, call.offset, call.bytes);
        there = staging_.take(call.bytes);
        queue.queue->download(memory, call.offset, there.bytes);
    }
    answer_when_done(call.queue, queue, there);
}

void ServedDevice::carry(const wire::MakeKernel& call) {
    if (call.kernel.size() > longest_kernel_name || kernels_.contains(call.kernel))
        throw TransportError("a kernel is made twice, or its name is too long");
    if (device_->failed()) return;
    try {
        if (kernels_.size() >= most_kernels)
            throw InputError("it has made " + std::to_string(most_kernels) + " others, the most for a client's device");
        const std::shared_ptr<const GraphKernel> kernel = kernel_of_graph(call.graph);
        kernels_[call.kernel] = kernel;
        compile([device = device_, text = kernel->text] { device->compile(text); });
    } catch (const InputError& error) {
        device_->fail("does not make the kernel '" + call.kernel + "': " + error.what());
    }
}

// Does work that has a driver compile a kernel. What it holds is released before calls are carried out again.
void ServedDevice::compile(std::function<void()> work) {
    compiling_ = true;
    compiler_ = std::jthread(
        [self = weak_from_this(), executor = executor_, device = device_, work = std::move(work)]() mutable {
            try {
                std::exchange(work, nullptr)();
            } catch (const std::exception& error) {
                device->fail(std::string("failed: ") + error.what());
            }
            asio::post(executor, [self] {
                const auto still = self.lock();
                if (still == nullptr) return;
                still->compiling_ = false;
                if (still->compiled_) still->compiled_();
            });
        });
}

void ServedDevice::carry(const wire::Launch& call) {
    ServedQueue& queue = queue_of(call.queue);
    ++queue.calls;
    queue.used = true;
    const auto made = kernels_.find(call.kernel);
    const std::optional<KernelArguments> taken = made == kernels_.end() ? arguments_of(call.kernel) : std::nullopt;
    if (made == kernels_.end() && !taken) {
        device_->fail(missing_kernel(call.kernel));
        return;
    }
    if (device_->failed()) return;
    static const auto none = std::make_shared<DeviceMemory>();
    std::vector<Memory> held;
    std::vector<const DeviceMemory*> memory;
    std::vector<std::uint64_t> bytes;
    for (const std::uint64_t number : call.memory) {
        held.push_back(number == 0 ? none : memory_of(number));
        memory.push_back(held.back().get());
        bytes.push_back(memory.back()->bytes());
    }
    // a kernel reads its constants and memories unchecked
    const std::string excess =
        taken ? excess_of(*taken, call.constants, bytes) : excess_of(*made->second, call.constants, bytes);
    if (!excess.empty()) throw TransportError("a launch of '" + call.kernel + "' " + excess);
    if (!taken)
        queue.queue->launch_text(call.kernel, made->second->text, call.constants, memory);
    else if (device_->compiles_at_launch() && launched_.insert(call.kernel).second)
        compile([call, queue = queue.queue, held, memory] { queue->launch(call.kernel, call.constants, memory); });
    else
        queue.queue->launch(call.kernel, call.constants, memory);
}

void ServedDevice::carry(const wire::After& call) {
    ServedQueue &queue = queue_of(call.queue), &other = queue_of(call.other);
    if (call.number > other.calls) throw TransportError("a queue waits for a call that was not made");
    ++queue.calls;
    queue.used = true;
    if (!device_->failed()) queue.queue->after(other.queue->mark());
}

void ServedDevice::carry(const wire::Notify& call) { answer_when_done(call.queue, queue_of(call.queue), {}); }

ServedDevice::ServedQueue& ServedDevice::queue_of(std::uint32_t number) {
    const auto found = queues_.find(number);
    if (found == queues_.end()) throw TransportError("call names an unknown queue");
    return found->second;
}

ServedDevice::Memory ServedDevice::memory_of(std::uint64_t number) const {
    const auto found = memory_.find(number);
    if (found == memory_.end()) throw TransportError("call names unknown memory");
    return found->second;
}

const DeviceMemory& ServedDevice::part_of(std::uint64_t number, std::uint64_t offset, std::uint64_t bytes) {
    const Memory memory = memory_of(number);
    if (offset > memory->bytes() || bytes > memory->bytes() - offset)
        throw TransportError("call names bytes beyond the end of memory");
    return *memory;  // the table owns it
}

// The thread of the queue passes `held` on, so that the executor's thread releases it, at once if it is this thread.
void ServedDevice::hold_until_done(ServedQueue& queue, std::shared_ptr<const void> held) {
    queue.queue->then([executor = executor_, held = std::move(held)]() mutable {
        if (!executor.running_in_this_thread()) asio::post(executor, [held = std::move(held)] {});
    });
}

// Two completed answers may be posted out of order: in Asio, calls of other threads overtake those that the executor's
// own thread has posted in the same turn.
void ServedDevice::answer_when_done(std::uint32_t number, ServedQueue& queue, const StagedBytes& downloaded) {
    std::shared_ptr<const void> held = counted(answers_, downloaded.bytes.size(), downloaded.owner);
    const std::uint64_t order = ++last_answer_;
    due_.push_back({order, queue.queue.get(), number, queue.calls, {held, downloaded.bytes}});
    queue.queue->then([self = weak_from_this(), executor = executor_, order, queue = queue.queue.get(),
                       held = std::move(held)]() mutable {
        auto send = [self = std::move(self), order, queue, held = std::move(held)] {
            if (const auto still = self.lock()) still->send_answers(queue, order);
        };
        if (executor.running_in_this_thread())
            send();
        else
            asio::post(executor, std::move(send));
    });
}

// Sends the answers of a queue up to number `last`, whose calls are done; those of earlier answers are done as well.
void ServedDevice::send_answers(const LocalQueue* queue, std::uint64_t last) {
    for (auto next = due_.begin(); next != due_.end() && next->order <= last;) {
        if (next->queue != queue) {
            ++next;
            continue;
        }
        DueAnswer answer = std::move(*next);
        next = due_.erase(next);
        send_answer(std::move(answer));
    }
}

void ServedDevice::send_answer(DueAnswer answer) {
    ByteWriter body;
    Frame frame;
    frame.header.type = FrameType::answers;
    if (device_->failed() && !std::exchange(failure_reported_, true)) put(body, wire::Failed{device_->failure()});
    if (!device_->failed() && !answer.data.bytes.empty()) {
        put(body, wire::Downloaded{answer.number, answer.calls, answer.data.bytes.size()});
        frame.data.emplace_back(answer.data.bytes);
    }
    frame.owner = std::move(answer.data.owner);
    const auto queue = queues_.find(answer.number);
    const bool ended = queue == queues_.end();
    put(body, wire::Done{answer.number, answer.calls, ended ? QueueTimes{} : queue->second.queue->take_times()});
    frame.body = body.take();
    send_(std::move(frame));
}

}  // namespace trellis
