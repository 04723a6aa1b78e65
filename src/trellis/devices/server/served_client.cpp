#include "trellis/devices/server/served_client.hpp"

#include <system_error>
#include <utility>

namespace trellis {

namespace {

constexpr std::size_t most_waiting_frames = 1 << 16;

}  // namespace

ServedClient::ServedClient(Server server, Facts facts)
    : server_(std::move(server)),
      facts_(std::move(facts)),
      answers_(std::make_shared<AnswerAccount>(server_.unread_answers)) {}

void ServedClient::attach(std::shared_ptr<Stream> stream, std::uint64_t received_by_client) {
    if (session_ == nullptr) session_ = std::make_shared<Session>(server_.executor, weak_from_this());
    session_->attach(std::move(stream), received_by_client);
}

void ServedClient::end() {
    session_->end();
    waiting_.clear();
    coming_ = {};
    while (!leases_.empty()) close(leases_.begin()->first);
}

SessionUser::Destination ServedClient::destination_of(const FrameHeader& header, std::vector<std::byte> body) {
    if (header.type != FrameType::calls) throw TransportError("a client may send calls alone");
    if (header.body_bytes == 0) throw TransportError("a frame has no calls");
    if (waiting_.size() >= most_waiting_frames) throw TransportError("too many frames wait");
    coming_ = {header.device, std::make_shared<ReceivedFrame>()};
    ReceivedFrame& frame = *coming_.frame;
    frame.body = std::move(body);
    if (header.data_bytes == 0) return {};
    const auto lease = leases_.find(header.device);
    if (lease == leases_.end()) throw TransportError("data for a device that is not open");
    ServedDevice& device = *lease->second.device;
    if (waiting_.empty()) frame.data = device.direct_memory(frame.body, header.data_bytes);
    if (frame.data.owner == nullptr) frame.data = device.stage(header.data_bytes);
    buffer_ = asio::mutable_buffer(frame.data.bytes.data(), frame.data.bytes.size());
    return {std::span(&buffer_, 1), coming_.frame};
}

void ServedClient::taken(const FrameHeader& header) {
    const std::uint64_t bytes = header.body_bytes + header.data_bytes;
    coming_.frame->released = [session = std::weak_ptr(session_), bytes] {
        if (const auto still = session.lock()) still->consume(bytes);
    };
    waiting_.push_back(std::exchange(coming_, {}));
    carry_out_waiting();
}

// Carries out the calls of all devices in order of arrival, while there is room for answers. If the system refuses a
// resource, such as a thread, the session ends: over a new connection, the same calls would fail again.
void ServedClient::carry_out_waiting() {
    try {
        while (!waiting_.empty() && carry_out(waiting_.front())) waiting_.pop_front();
    } catch (const std::system_error& error) {
        throw TransportError(std::string("the server cannot continue: ") + error.what());
    }
}

// Carries out the calls that have waited for a kernel of one of them.
void ServedClient::resume() {
    try {
        carry_out_waiting();
    } catch (const std::exception& error) {
        lost(error.what(), true);
    }
}

// Returns false if some calls of the frame must wait.
bool ServedClient::carry_out(Waiting& waiting) {
    const ReceivedFrame& frame = *waiting.frame;
    std::span<const std::byte> data = frame.data.bytes.subspan(waiting.data_read);
    ByteReader body(std::span(frame.body).subspan(waiting.body_read));
    for (;;) {
        const auto called = leases_.find(waiting.device);
        const bool compiling = called != leases_.end() && called->second.device->compiling();
        if (compiling || (!body.at_end() && !answers_->has_room(server_.devices.left()))) {
            waiting.body_read = frame.body.size() - body.bytes_left();
            waiting.data_read = frame.data.bytes.size() - data.size();
            return false;
        }
        if (body.at_end()) break;
        const wire::Call call = wire::get_call(body);
        if (const auto* opening = std::get_if<wire::OpenDevice>(&call)) {
            open(waiting.device, *opening);
        } else if (std::holds_alternative<wire::CloseDevice>(call)) {
            close(waiting.device);
        } else if (std::holds_alternative<wire::ListDevices>(call)) {
            list_devices(waiting.device);
        } else {
            const auto lease = leases_.find(waiting.device);
            if (lease == leases_.end()) throw TransportError("a call to a device that is not open");
            lease->second.device->carry_out(call, data);
        }
    }
    if (const auto lease = leases_.find(waiting.device); lease != leases_.end())
        lease->second.device->end_frame(waiting.frame);
    return true;
}

void ServedClient::open(std::uint32_t number, const wire::OpenDevice& call) {
    if (leases_.contains(number) || leases_.size() >= wire::most_devices)
        throw TransportError("a device is opened twice, or there are too many");
    try {
        const std::shared_ptr<LocalDevice> device = server_.devices.lend(call.name, call.memory_wanted, facts_.who);
        const auto send = [weak = weak_from_this(), number](Frame frame) {
            const auto self = weak.lock();
            if (self == nullptr || !self->leases_.contains(number)) return;
            frame.header.device = number;
            self->session_->send(std::move(frame));
        };
        const auto compiled = [weak = weak_from_this()] {
            if (const auto self = weak.lock()) self->resume();
        };
        leases_[number] = {
            call.name, device->memory_bytes(),
            std::make_shared<ServedDevice>(device, server_.executor, send, server_.discard, answers_, compiled)};
        server_.leased(facts_, call.name, device->memory_bytes(), true);
        answer(number, wire::Opened{device->description(), device->memory_bytes(), device->queues_wanted()});
    } catch (const RunError& error) {
        answer(number, wire::Failed{error.what()});
    } catch (const InputError& error) {
        answer(number, wire::Failed{error.what()});
    }
}

void ServedClient::close(std::uint32_t number) {
    const auto found = leases_.find(number);
    if (found == leases_.end()) throw TransportError("a device is closed that is not open");
    Lease lease = std::move(found->second);
    leases_.erase(found);
    server_.devices.give_back(lease.name, lease.memory, facts_.who);
    server_.leased(facts_, lease.name, lease.memory, false);
    server_.discard(std::move(lease.device));
}

void ServedClient::list_devices(std::uint32_t number) { answer(number, wire::Devices{server_.devices.entries()}); }

void ServedClient::answer(std::uint32_t device, const wire::Answer& answer) {
    ByteWriter body;
    wire::put(body, answer);
    Frame frame;
    frame.header.type = FrameType::answers;
    frame.header.device = device;
    frame.body = body.take();
    frame.owner = counted(answers_, frame.body.size());
    session_->send(std::move(frame));
}

void ServedClient::lost(const std::string& why, bool broken_rules) { server_.lost(*this, why, broken_rules); }

}  // namespace trellis
