// Calls of a client to a lent device: ended queues, uploads without a copy, and the order of answers.
#include "trellis/devices/server/served_device.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <asio/executor_work_guard.hpp>
#include <asio/io_context.hpp>
#include <asio/post.hpp>
#include <atomic>
#include <chrono>
#include <memory>
#include <stdexcept>
#include <thread>
#include <vector>

#include "trellis/devices/cpu_device.hpp"
#include "trellis/devices/known_kernels.hpp"

namespace trellis::served_device_test {

std::atomic<bool> may_end = false;
void wait_until_it_may_end(const KernelCall& /*call*/) { may_end.wait(false); }

TEST(ServedDevice, is_kept_until_its_last_queue_is_released) {
    register_kernel(DeviceKind::cpu, "wait until it may end", wait_until_it_may_end,
                    {0, 0, [](std::span<const std::byte>, std::span<MemoryUse>) {}});
    asio::io_context io;
    std::vector<std::shared_ptr<void>> discarded;
    const auto discard = [&](std::shared_ptr<void> object) { discarded.push_back(std::move(object)); };
    auto device = make_cpu_device(1 << 20, 1, "cpu");
    const std::weak_ptr<LocalDevice> watched = device;
    auto served = std::make_shared<ServedDevice>(
        device, io.get_executor(), [](const Frame& /*answer*/) {}, discard,
        std::make_shared<AnswerAccount>(std::make_shared<UnreadAnswers>()));
    device.reset();
    std::span<const std::byte> no_data;
    const std::vector<wire::Call> calls{wire::MakeQueue{1}, wire::MakeQueue{2},
                                        wire::Launch{2, "wait until it may end", {}, {}}, wire::EndQueue{1}};
    for (const wire::Call& call : calls) served->carry_out(call, no_data);
    io.poll();  // the first queue is ended and waits for the second one
    may_end = true;
    may_end.notify_all();
    served.reset();
    EXPECT_TRUE(discarded.empty());
    EXPECT_FALSE(watched.expired());
    io.restart();
    io.poll();
    EXPECT_EQ(discarded.size(), 1U);
    EXPECT_FALSE(watched.expired());
    discarded.clear();
    EXPECT_TRUE(watched.expired());
}

// An upload to an idle queue is copied once: from the network to the memory of the device.
TEST(ServedDevice, receives_uploads_of_an_idle_queue_in_its_memory) {
    register_kernel(DeviceKind::cpu, "wait until it may end", wait_until_it_may_end,
                    {0, 0, [](std::span<const std::byte>, std::span<MemoryUse>) {}});
    may_end = false;
    constexpr std::size_t bytes = 64 << 10;
    asio::io_context io;
    std::vector<std::byte> downloaded;
    const auto answered = [&](const Frame& answer) {
        for (const auto part : answer.data) downloaded.assign(part.begin(), part.end());
    };
    const auto served = std::make_shared<ServedDevice>(
        make_cpu_device(1 << 20, 1, "cpu"), io.get_executor(), answered, [](const std::shared_ptr<void>&) {},
        std::make_shared<AnswerAccount>(std::make_shared<UnreadAnswers>()));
    const auto carry_out = [&](const wire::Call& call, std::span<const std::byte> data = {}) {
        served->carry_out(call, data);
    };
    const auto memory_of = [&](const std::vector<wire::Call>& calls, std::size_t data) {
        ByteWriter body;
        for (const wire::Call& call : calls) wire::put(body, call);
        return served->direct_memory(body.take(), data);
    };
    const wire::Upload upload{1, 1, bytes, bytes};
    carry_out(wire::MakeQueue{1});
    carry_out(wire::Allocate{1, 2 * bytes});
    const StagedBytes memory = memory_of({upload}, bytes);
    ASSERT_EQ(memory.bytes.size(), bytes);
    std::ranges::fill(memory.bytes, std::byte{7});
    carry_out(upload, memory.bytes);
    carry_out(wire::Download{1, 1, bytes, bytes});
    for (int k = 0; k < 5000 && downloaded.empty(); ++k) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        io.restart();
        io.poll();
    }
    EXPECT_EQ(downloaded, std::vector<std::byte>(bytes, std::byte{7}));
    EXPECT_EQ(memory_of({upload, upload}, 2 * bytes).owner, nullptr);
    EXPECT_EQ(memory_of({upload}, 2 * bytes).owner, nullptr);
    EXPECT_THROW(memory_of({wire::Upload{1, 1, bytes + 1, bytes}}, bytes), TransportError);
    EXPECT_THROW(memory_of({wire::Upload{1, 2, 0, bytes}}, bytes), TransportError);
    carry_out(wire::Launch{1, "wait until it may end", {}, {}});
    EXPECT_EQ(memory_of({upload}, bytes).owner, nullptr);
    may_end = true;
    may_end.notify_all();
}

// In one turn of the network's thread, the first and third answers are posted by the thread of the queue, the second
// one is complete at once.
TEST(ServedDevice, gives_the_answers_of_a_queue_in_the_order_of_its_calls) {
    register_kernel(DeviceKind::cpu, "wait until it may end", wait_until_it_may_end,
                    {0, 0, [](std::span<const std::byte>, std::span<MemoryUse>) {}});
    asio::io_context io{1};  // as in the server
    std::vector<std::uint64_t> done;
    const auto answered = [&](const Frame& answer) {
        for (ByteReader body(answer.body); !body.at_end();) {
            const wire::Answer each = wire::get_answer(body);
            if (const auto* last = std::get_if<wire::Done>(&each)) done.push_back(last->number);
        }
    };
    const auto served = std::make_shared<ServedDevice>(
        make_cpu_device(1 << 20, 1, "cpu"), io.get_executor(), answered, [](const std::shared_ptr<void>&) {},
        std::make_shared<AnswerAccount>(std::make_shared<UnreadAnswers>()));
    const wire::Launch launch{1, "wait until it may end", {}, {}};
    const wire::Download download{1, 1, 0, 8};
    ByteWriter upload;
    wire::put(upload, wire::Call(wire::Upload{1, 1, 0, 8}));
    const std::vector<std::byte> body = upload.take();
    asio::post(io, [&] {
        std::span<const std::byte> no_data;
        const auto carry_out = [&](const std::vector<wire::Call>& calls) {
            may_end = false;
            for (const wire::Call& call : calls) served->carry_out(call, no_data);
            may_end = true;
            may_end.notify_all();
            while (served->direct_memory(body, 8).owner == nullptr) std::this_thread::yield();  // until it is idle
        };
        carry_out({wire::MakeQueue{1}, wire::Allocate{1, 8}, launch, download});
        carry_out({download});
        carry_out({launch, download});
    });
    io.poll();
    EXPECT_EQ(done, (std::vector<std::uint64_t>{2, 3, 5}));
}

const std::thread::id thread_of_clients = std::this_thread::get_id();

// Work of a driver: waits until it may end, but not on the thread of all clients, which alone lets it end.
void work_until_it_may_end() {
    if (!may_end && std::this_thread::get_id() == thread_of_clients)
        ADD_FAILURE() << "a driver compiles on the thread of all clients, which must not wait for it";
    else
        may_end.wait(false);
}

// A GPU that compiles until it may end.
class SlowCompiler : public LocalDevice {
  public:
    SlowCompiler() : LocalDevice("opencl:0", 1 << 20) {}
    std::string description() const override { return "a slow compiler"; }
    std::size_t queues_wanted() const override { return 1; }
    std::unique_ptr<LocalQueue> make_local_queue() override { return nullptr; }
    void compile(const std::shared_ptr<const KernelText>& /*kernel*/) override {
        work_until_it_may_end();
        throw std::runtime_error("it is too slow");
    }

  private:
    std::byte* take(std::size_t /*bytes*/) override { return nullptr; }
    void give_back(std::byte* /*address*/) override {}
};

TEST(ServedDevice, compiles_kernels_beside_the_thread_of_all_clients) {
    provide_graph_kernels([](std::span<const std::byte>) {
        return GraphKernel{std::make_shared<const KernelText>(), 0, 0, [](auto, auto) {}};
    });
    may_end = false;
    asio::io_context io;
    const auto device = std::make_shared<SlowCompiler>();
    bool compiled = false;
    const auto served = std::make_shared<ServedDevice>(
        device, io.get_executor(), [](const Frame& /*answer*/) {}, [](const std::shared_ptr<void>&) {},
        std::make_shared<AnswerAccount>(std::make_shared<UnreadAnswers>()), [&] { compiled = true; });
    std::span<const std::byte> no_data;
    const auto guard = asio::make_work_guard(io);
    served->carry_out(wire::MakeKernel{"mine", {}}, no_data);
    io.poll();
    ASSERT_TRUE(served->compiling());
    EXPECT_FALSE(compiled);
    may_end = true;
    may_end.notify_all();
    EXPECT_EQ(io.run_one_for(std::chrono::seconds(10)), 1U);
    EXPECT_FALSE(served->compiling());
    EXPECT_TRUE(compiled);
    EXPECT_EQ(device->failure(), "failed: it is too slow");
}

// A queue whose kernels end when they may.
class SlowQueue : public LocalQueue {
  public:
    void upload(const DeviceMemory& /*to*/, std::size_t /*offset*/, std::span<const std::byte> /*from*/) override {}
    void download(const DeviceMemory& /*from*/, std::size_t /*offset*/, std::span<std::byte> /*to*/) override {}
    void launch(std::string_view /*kernel*/, std::span<const std::byte> /*constants*/,
                std::span<const DeviceMemory* const> /*memory*/) override {
        work_until_it_may_end();
        ++launched;
    }
    Mark mark() override { return {this, 0}; }
    void after(const Mark& /*mark*/) override {}
    void wait(const Mark& /*mark*/) override {}
    void then(std::function<void()> call) override { call(); }
    QueueTimes take_times() override { return {}; }

    static inline std::atomic<int> launched = 0;
};

class CompilesAtLaunch : public SlowCompiler {
  public:
    std::unique_ptr<LocalQueue> make_local_queue() override { return std::make_unique<SlowQueue>(); }
    bool compiles_at_launch() const override { return true; }
};

// The driver of OpenCL compiles a kernel when it is launched for the first time. A server that waited for it would
// answer no client, each of which would count its device as lost.
TEST(ServedDevice, launches_a_kernel_for_the_first_time_beside_the_thread_of_all_clients) {
    register_kernel(DeviceKind::cpu, "wait until it may end", wait_until_it_may_end,
                    {0, 0, [](std::span<const std::byte>, std::span<MemoryUse>) {}});
    const wire::Launch launch{1, "wait until it may end", {}, {}};
    may_end = false;
    SlowQueue::launched = 0;
    asio::io_context io;
    const auto served = std::make_shared<ServedDevice>(
        std::make_shared<CompilesAtLaunch>(), io.get_executor(), [](const Frame& /*answer*/) {},
        [](const std::shared_ptr<void>&) {}, std::make_shared<AnswerAccount>(std::make_shared<UnreadAnswers>()));
    std::span<const std::byte> no_data;
    const auto guard = asio::make_work_guard(io);
    served->carry_out(wire::MakeQueue{1}, no_data);
    served->carry_out(launch, no_data);
    ASSERT_TRUE(served->compiling());
    EXPECT_EQ(SlowQueue::launched, 0);
    may_end = true;
    may_end.notify_all();
    EXPECT_EQ(io.run_one_for(std::chrono::seconds(10)), 1U);
    EXPECT_FALSE(served->compiling());
    served->carry_out(launch, no_data);
    EXPECT_FALSE(served->compiling());
    EXPECT_EQ(SlowQueue::launched, 2);
}

}  // namespace trellis::served_device_test
