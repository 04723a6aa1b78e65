// A device of this machine that is lent to one client: checks the client's calls and carries them out.
#pragma once

#include <asio/io_context.hpp>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "trellis/devices/kernel_text.hpp"
#include "trellis/devices/local_device.hpp"
#include "trellis/devices/remote/client/calls.hpp"
#include "trellis/devices/server/answer_account.hpp"
#include "trellis/devices/server/staging.hpp"
#include "trellis/packing/delta_base_cache.hpp"
#include "trellis/transport/sessions/frame.hpp"

namespace trellis {

// A frame of the client. It is released when the last call that reads it is done.
struct ReceivedFrame {
    std::vector<std::byte> body;
    StagedBytes data;
    std::function<void()> released;

    ReceivedFrame() = default;
    ~ReceivedFrame() {
        if (released) released();
    }
    ReceivedFrame(const ReceivedFrame&) = delete;
    ReceivedFrame& operator=(const ReceivedFrame&) = delete;
};

// All functions are called by the thread that runs the executor. Another thread releases the object, since its
// destructor waits for the device.
class ServedDevice : public std::enable_shared_from_this<ServedDevice> {
  public:
    using SendAnswer = std::function<void(Frame)>;
    // Releases an object whose destructor waits for the device, in another thread.
    using Discard = std::function<void(std::shared_ptr<void>)>;

    using Executor = asio::io_context::executor_type;

    // compiled: called when no kernel is being compiled any more.
    ServedDevice(std::shared_ptr<LocalDevice> device, Executor executor, SendAnswer send, Discard discard,
                 std::shared_ptr<AnswerAccount> answers, std::function<void()> compiled = {});
    ~ServedDevice();
    ServedDevice(const ServedDevice&) = delete;
    ServedDevice& operator=(const ServedDevice&) = delete;

    // Host memory for the data of a frame.
    StagedBytes stage(std::uint64_t bytes) { return staging_.take(bytes); }

    // Memory of the device for the data of a frame whose only call is an upload, if it may be written now; else empty.
    StagedBytes direct_memory(std::span<const std::byte> body, std::uint64_t bytes);

    // Carries out a call. An upload removes its bytes from the front of data, which stay valid until the frame is
    // released. Throws TransportError for a call that a client may not make.
    void carry_out(const wire::Call& call, std::span<const std::byte>& data);
    // True while a kernel is being compiled, in a thread of its own: calls, and the end of a frame, must wait, but not
    // those of other clients.
    bool compiling() const { return compiling_; }
    // All calls of a frame have been queued: keeps the frame until they are done.
    void end_frame(const std::shared_ptr<ReceivedFrame>& frame);

    LocalDevice& device() { return *device_; }

  private:
    struct ServedQueue {
        std::shared_ptr<LocalQueue> queue;
        std::uint64_t calls = 0;
        bool used = false;  // by the present frame
    };
    using Memory = std::shared_ptr<DeviceMemory>;
    // The data of an answer, which may be empty; counted until the client has acknowledged the answer.
    struct Downloaded {
        std::shared_ptr<const void> owner;
        std::span<const std::byte> bytes;
    };
    // An answer to send when the first `calls` calls of its queue are done.
    struct DueAnswer {
        std::uint64_t order;
        const LocalQueue* queue;
        std::uint32_t number;  // the client's number of the queue
        std::uint64_t calls;
        Downloaded data;
    };

    void carry(const wire::MakeQueue& call);
    void carry(const wire::EndQueue& call);
    void carry(const wire::Allocate& call);
    void carry(const wire::Release& call);
    void carry(const wire::Download& call);
    void carry(const wire::MakeKernel& call);
    void carry(const wire::Launch& call);
    void carry(const wire::After& call);
    void carry(const wire::Notify& call);
    void upload(const wire::Upload& call, std::span<const std::byte>& data);
    void upload(const wire::UploadDelta& call, std::span<const std::byte>& data);

    void compile(std::function<void()> work);
    ServedQueue& queue_of(std::uint32_t number);
    Memory memory_of(std::uint64_t number) const;
    const DeviceMemory& part_of(std::uint64_t number, std::uint64_t offset, std::uint64_t bytes);
    template <class Call>
    void for_each_queue(Call&& call);
    void release_ended(const LocalQueue* done);
    void hold_until_done(ServedQueue& queue, std::shared_ptr<const void> held);
    void answer_when_done(std::uint32_t number, ServedQueue& queue, const StagedBytes& downloaded);
    void send_answers(const LocalQueue* queue, std::uint64_t last);
    void send_answer(DueAnswer answer);

    const std::shared_ptr<LocalDevice> device_;
    const Executor executor_;
    const SendAnswer send_;
    const Discard discard_;
    Staging staging_;
    std::map<std::uint64_t, Memory> memory_;
    DeltaBaseCache delta_bases_{wire::most_delta_base_bytes};
    std::map<std::string, std::shared_ptr<const GraphKernel>> kernels_;  // that the client has had made
    std::set<std::string> launched_;                                     // kernels of the library that are compiled
    std::map<std::uint32_t, ServedQueue> queues_;
    std::vector<ServedQueue> ended_;  // ended by the client, with calls that are not done
    std::list<DueAnswer> due_;        // by order
    std::uint64_t last_answer_ = 0;
    bool failure_reported_ = false;
    const std::shared_ptr<AnswerAccount> answers_;
    const std::function<void()> compiled_;
    bool compiling_ = false;
    std::jthread compiler_;
};

}  // namespace trellis
