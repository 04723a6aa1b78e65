#include "trellis/devices/cpu_device.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

#include "trellis/devices/remote/open.hpp"
#include "unit/devices/scaling_kernels.hpp"
#include "unit/error_message.hpp"

namespace trellis::cpu_device_test {

class CpuDeviceTest : public testing::Test {
  protected:
    CpuDeviceTest() { register_scaling_kernels(); }

    std::shared_ptr<Device> device_ = make_cpu_device(10000, 1);
    std::vector<float> values_ = std::vector<float>(100, 1), back_ = std::vector<float>(100);
};

TEST_F(CpuDeviceTest, carries_out_the_calls_of_a_queue_in_order) {
    const DeviceMemory memory(device_, 400);
    const auto queue = device_->make_queue();
    queue->upload(memory, 0, std::as_bytes(std::span(values_)));
    launch_scaling(*queue, "sleep_then_scale", memory, 100, 2);
    launch_scaling(*queue, "scale", memory, 100, 3);
    queue->download(memory, 4, std::as_writable_bytes(std::span(back_).first(99)));
    queue->wait();
    EXPECT_EQ(back_[0], 6);
    EXPECT_EQ(back_[98], 6);
    EXPECT_EQ(back_[99], 0);
}

// The build with the address sanitizer reports copies from or to a null pointer.
TEST_F(CpuDeviceTest, copies_no_bytes_from_and_to_nowhere) {
    const DeviceMemory memory(device_, 400);
    const auto queue = device_->make_queue();
    queue->upload(memory, 0, {});
    queue->download(memory, 400, {});
    EXPECT_NO_THROW(queue->wait());
}

TEST_F(CpuDeviceTest, calls_return_before_they_are_carried_out) {
    const DeviceMemory memory(device_, 400);
    const auto queue = device_->make_queue();
    const auto start = std::chrono::steady_clock::now();
    for (int k = 0; k < 20; ++k) launch_scaling(*queue, "sleep_then_scale", memory, 100, 1);
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::milliseconds(20 * 20));
    queue->wait();
    EXPECT_GE(std::chrono::steady_clock::now() - start, std::chrono::milliseconds(20 * 20));
}

TEST_F(CpuDeviceTest, one_queue_waits_for_a_mark_of_another) {
    const DeviceMemory memory(device_, 400);
    const auto first = device_->make_queue(), second = device_->make_queue();
    first->upload(memory, 0, std::as_bytes(std::span(values_)));
    launch_scaling(*first, "sleep_then_scale", memory, 100, 5);
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
    launch_scaling(*queue, "sleep_then_scale", memory, 100, 5);
    queue->wait(mark);
    EXPECT_EQ(back_[50], 1);
}

TEST_F(CpuDeviceTest, counts_what_it_did) {
    const DeviceMemory memory(device_, 400);
    const auto queue = device_->make_queue();
    queue->upload(memory, 0, std::as_bytes(std::span(values_)));
    launch_scaling(*queue, "sleep_then_scale", memory, 100, 5);
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

TEST_F(CpuDeviceTest, a_failed_device_names_itself_and_carries_out_no_call) {
    const DeviceMemory memory(device_, 400);
    const auto queue = device_->make_queue(), other = device_->make_queue();
    queue->upload(memory, 0, std::as_bytes(std::span(values_)));
    launch_scaling(*queue, "explode", memory, 100, 1);
    EXPECT_EQ(failure_of(*queue), "device cpu failed: it exploded");
    other->download(memory, 0, std::as_writable_bytes(std::span(back_)));
    EXPECT_EQ(failure_of(*other), "device cpu failed: it exploded");
    EXPECT_EQ(back_[0], 0);
}

TEST_F(CpuDeviceTest, an_unknown_kernel_is_a_failure) {
    const DeviceMemory memory(device_, 400);
    const auto queue = device_->make_queue();
    launch_scaling(*queue, "no_such_kernel", memory, 100, 1);
    EXPECT_EQ(failure_of(*queue), "device cpu has no kernel 'no_such_kernel'");
}

TEST(OpenDevice, knows_the_processor_and_says_what_else_there_is) {
    EXPECT_EQ(open_device("cpu")->name(), "cpu");
    EXPECT_EQ(open_device("cpu", 1234)->memory_bytes(), 1234U);
    const std::string message = message_of([] { open_device("cuda:99"); });
    EXPECT_EQ(message.substr(0, 62), "there is no device 'cuda:99': on this machine, allowed are cpu");
}

}  // namespace trellis::cpu_device_test
