#include "trellis/devices/cpu_device.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstring>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "trellis/devices/kernels.hpp"
#include "trellis/devices/remote/open.hpp"
#include "unit/error_message.hpp"

namespace trellis::cpu_device_test {

struct Scale {
    std::uint32_t count;
    float factor;
};

void scale(const KernelCall& call) {
    auto* values = reinterpret_cast<float*>(call.memory[0]);
    for (std::uint32_t k = 0; k < call.get<Scale>().count; ++k) values[k] *= call.get<Scale>().factor;
}

void sleep_then_scale(const KernelCall& call) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    scale(call);
}

void explode(const KernelCall&) { throw std::runtime_error("it exploded"); }

template <class T>
std::span<const std::byte> bytes_of(const T& value) {
    return std::as_bytes(std::span(&value, 1));
}

class CpuDeviceTest : public testing::Test {
  protected:
    CpuDeviceTest() {
        register_kernel(DeviceKind::cpu, "scale", scale);
        register_kernel(DeviceKind::cpu, "sleep_then_scale", sleep_then_scale);
        register_kernel(DeviceKind::cpu, "explode", explode);
    }

    void launch(Queue& queue, const char* kernel, const DeviceMemory& memory, float factor) {
        const DeviceMemory* const all[] = {&memory};
        queue.launch(kernel, bytes_of(Scale{100, factor}), all);
    }

    std::string failure_of(Queue& queue) {
        try {
            queue.wait();
        } catch (const DeviceError& error) {
            return error.what();
        }
        return "";
    }

    std::shared_ptr<Device> device_ = make_cpu_device(10000, 1);
    std::vector<float> values_ = std::vector<float>(100, 1), back_ = std::vector<float>(100);
};

TEST_F(CpuDeviceTest, carries_out_the_calls_of_a_queue_in_order) {
    const DeviceMemory memory(device_, 400);
    const auto queue = device_->make_queue();
    queue->upload(memory, 0, std::as_bytes(std::span(values_)));
    launch(*queue, "sleep_then_scale", memory, 2);
    launch(*queue, "scale", memory, 3);
    queue->download(memory, 4, std::as_writable_bytes(std::span(back_).first(99)));
    queue->wait();
    EXPECT_EQ(back_[0], 6);
    EXPECT_EQ(back_[98], 6);
    EXPECT_EQ(back_[99], 0);
}

TEST_F(CpuDeviceTest, calls_return_before_they_are_carried_out) {
    const DeviceMemory memory(device_, 400);
    const auto queue = device_->make_queue();
    const auto start = std::chrono::steady_clock::now();
    for (int k = 0; k < 20; ++k) launch(*queue, "sleep_then_scale", memory, 1);
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::milliseconds(20 * 20));
    queue->wait();
    EXPECT_GE(std::chrono::steady_clock::now() - start, std::chrono::milliseconds(20 * 20));
}

TEST_F(CpuDeviceTest, one_queue_waits_for_a_mark_of_another) {
    const DeviceMemory memory(device_, 400);
    const auto first = device_->make_queue(), second = device_->make_queue();
    first->upload(memory, 0, std::as_bytes(std::span(values_)));
    launch(*first, "sleep_then_scale", memory, 5);
    second->after(first->mark());
    second->download(memory, 0, std::as_writable_bytes(std::span(back_)));
    second->wait();
    EXPECT_EQ(back_[50], 5);
}

TEST_F(CpuDeviceTest, a_mark_stands_for_what_came_before_it) {
    const DeviceMemory memory(device_, 400);
    const auto queue = device_->make_queue();
    queue->upload(memory, 0, std::as_bytes(std::span(values_)));
    queue->download(memory, 0, std::as_writable_bytes(std::span(back_)));
    const Mark mark = queue->mark();
    launch(*queue, "sleep_then_scale", memory, 5);
    queue->wait(mark);
    EXPECT_EQ(back_[50], 1);
}

TEST_F(CpuDeviceTest, counts_what_it_did) {
    const DeviceMemory memory(device_, 400);
    const auto queue = device_->make_queue();
    queue->upload(memory, 0, std::as_bytes(std::span(values_)));
    launch(*queue, "sleep_then_scale", memory, 5);
    queue->download(memory, 0, std::as_writable_bytes(std::span(back_)));
    queue->wait();
    const QueueTimes times = queue->take_times();
    EXPECT_GE(times.kernel, 0.02);
    EXPECT_EQ(times.bytes_up, 400U);
    EXPECT_EQ(times.bytes_down, 400U);
    EXPECT_EQ(queue->take_times().bytes_up, 0U);
}

TEST_F(CpuDeviceTest, hands_out_no_more_memory_than_it_has) {
    DeviceMemory most(device_, 9000);
    EXPECT_EQ(device_->memory_left(), 1000U);
    try {
        const DeviceMemory more(device_, 1001);
        FAIL() << "was given 1001 bytes";
    } catch (const DeviceError& error) {
        EXPECT_STREQ(error.what(), "device cpu is out of memory: 1001 bytes asked for, 1000 of 10000 left");
    }
    most = {};
    EXPECT_EQ(device_->memory_left(), 10000U);
}

TEST_F(CpuDeviceTest, that_failed_names_itself_and_does_nothing_any_more) {
    const DeviceMemory memory(device_, 400);
    const auto queue = device_->make_queue(), other = device_->make_queue();
    queue->upload(memory, 0, std::as_bytes(std::span(values_)));
    launch(*queue, "explode", memory, 1);
    EXPECT_EQ(failure_of(*queue), "device cpu failed: it exploded");
    other->download(memory, 0, std::as_writable_bytes(std::span(back_)));
    EXPECT_EQ(failure_of(*other), "device cpu failed: it exploded");
    EXPECT_EQ(back_[0], 0);
}

TEST_F(CpuDeviceTest, an_unknown_kernel_is_a_failure) {
    const DeviceMemory memory(device_, 400);
    const auto queue = device_->make_queue();
    launch(*queue, "no_such_kernel", memory, 1);
    EXPECT_EQ(failure_of(*queue), "device cpu has no kernel 'no_such_kernel'");
}

TEST(OpenDevice, knows_the_processor_and_says_what_else_there_is) {
    EXPECT_EQ(open_device("cpu")->name(), "cpu");
    EXPECT_EQ(open_device("cpu", 1234)->memory_bytes(), 1234U);
    const std::string message = message_of([] { open_device("cuda:99"); });
    EXPECT_EQ(message.substr(0, 62), "there is no device 'cuda:99': on this machine, allowed are cpu");
}

}  // namespace trellis::cpu_device_test
