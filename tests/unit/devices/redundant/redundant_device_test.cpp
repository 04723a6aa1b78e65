// A device that stands for two: the results are those of one, and a bit that differs is found.
#include "trellis/devices/redundant/redundant_device.hpp"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <future>
#include <numeric>

#include "unit/devices/faulty_device.hpp"
#include "unit/devices/scaling_kernels.hpp"

namespace trellis::redundant_device_test {

using namespace std::chrono_literals;

std::shared_ptr<FaultyDevice> device(const std::string& name, Fault fault = Fault::none) {
    return std::make_shared<FaultyDevice>(fault, 1, name);
}

std::shared_ptr<Device> pair(Fault fault = Fault::none) {
    register_scaling_kernels();
    return std::make_shared<RedundantDevice>(RedundantDevice::Members{device("a:0"), device("a:1", fault)},
                                             std::make_shared<SpareDevices>());
}

// `count` numbers that two queues multiply, one after the other.
struct Multiplied {
    explicit Multiplied(const std::shared_ptr<Device>& on, std::size_t count = 1000)
        : values(count), memory(on, count * sizeof(float)), first(on->make_queue()), second(on->make_queue()) {
        std::iota(values.begin(), values.end(), 0.0F);
        first->upload(memory, 0, std::as_bytes(std::span(values)));
        launch_scaling(*first, "sleep_then_scale", memory, count, 2);
        second->after(first->mark());
        launch_scaling(*second, "scale", memory, count, 3);
        second->download(memory, 0, std::as_writable_bytes(std::span(values)));
    }

    std::vector<float> values;
    DeviceMemory memory;
    std::unique_ptr<Queue> first, second;
};

TEST(RedundantDevice, does_what_one_does_in_the_same_order) {
    const auto both = pair();
    EXPECT_EQ(both->name(), "a:0 + a:1");
    const std::size_t before = both->memory_left();
    Multiplied on(both);
    EXPECT_EQ(before - both->memory_left(), 1000 * sizeof(float));
    EXPECT_EQ(failure_of(*on.second), "");
    EXPECT_EQ(on.values[7], 42);
    on.first->after(on.second->mark());  // calls that are done already
    const Mark done = on.second->mark();
    on.second->wait(done);
    on.second->wait(done);
    on.first->after(done);
    EXPECT_EQ(failure_of(*on.first), "");
    EXPECT_EQ(on.second->take_times().bytes_down, 2 * 1000 * sizeof(float));
}

TEST(RedundantDevice, has_failed_once_a_bit_differs) {
    for (const Fault fault : {Fault::one_bit, Fault::one_bit_each, Fault::wrong}) {
        const auto both = pair(fault);
        Multiplied on(both);
        EXPECT_NE(failure_of(*on.second).find("device a:0 + a:1 gave two results that differ"), std::string::npos);
        EXPECT_NE(failure_of(*on.first), "") << "a queue that has brought nothing back";
        EXPECT_EQ(both->successor("a:0 + a:1"), nullptr);
        EXPECT_EQ(both->successor("a:0")->name(), "a:1");
        EXPECT_EQ(both->successor("b:0"), both);
    }
}

TEST(RedundantDevice, compares_what_a_later_download_writes_over) {
    for (const Fault fault : {Fault::none, Fault::one_bit}) {
        const auto both = pair(fault);
        Multiplied on(both);
        std::string failure;
        try {
            launch_scaling(*on.second, "scale", on.memory, 1000, 5);
            on.second->download(on.memory, 0, std::as_writable_bytes(std::span(on.values)));
        } catch (const DeviceError& error) {
            failure = error.what();
        }
        if (failure.empty()) failure = failure_of(*on.second);
        EXPECT_EQ(failure.empty(), fault == Fault::none) << failure;
        if (fault == Fault::none) {
            EXPECT_EQ(on.values[7], 210);
        }
    }
}

// Opened by the test, which has failed if this takes 20 s.
std::promise<void>& gate() {
    static std::promise<void> of_test;
    return of_test;
}
std::shared_future<void> opened() {
    static const std::shared_future<void> future = gate().get_future().share();
    return future;
}

TEST(RedundantDevice, calls_back_when_both_are_done_and_does_not_wait_for_them) {
    register_kernel(DeviceKind::cpu, "wait_for_gate", [](const KernelCall&) { opened().wait_for(20s); });
    const auto both = std::make_shared<RedundantDevice>(
        RedundantDevice::Members{make_cpu_device(1000, 1, "cpu#0"), make_cpu_device(1000, 1, "cpu#1")},
        std::make_shared<SpareDevices>());
    const auto queue = both->make_queue();
    queue->launch("wait_for_gate", {}, {});
    std::atomic<int> calls = 0;
    queue->then([&] { ++calls; });
    EXPECT_EQ(calls, 0);
    gate().set_value();
    queue->wait();
    EXPECT_EQ(calls, 1);
}

TEST(RedundantDevice, names_the_member_that_is_lost) {
    const auto both = pair(Fault::lost);
    const auto queue = both->make_queue();
    const DeviceMemory memory(both, 4);
    for (int launches = 0; launches < 2; ++launches) launch_scaling(*queue, "scale", memory, 0, 1);
    EXPECT_EQ(failure_of(*queue), "device a:1 was lost");
}

std::array<std::span<const std::byte>, 2> spans(const std::vector<std::byte>& a, const std::vector<std::byte>& b) {
    return {std::span(a), std::span(b)};
}

TEST(Mismatch, is_resolved_by_the_bytes_around_the_difference_wherever_they_come) {
    std::vector<std::byte> right(1000);
    for (std::size_t k = 0; k < right.size(); ++k) right[k] = static_cast<std::byte>(k * k / 7);
    for (const std::size_t position : {0U, 500U, 999U}) {
        std::vector<std::byte> wrong = right;
        wrong[position] ^= std::byte{1};
        const std::vector<std::byte> nothing(300, std::byte{3}), last(right.begin() + 100, right.end()),
            first(right.begin(), right.begin() + 600);
        Mismatch second_is_faulty({"a", "b"}, spans(right, wrong)), first_is_faulty({"a", "b"}, spans(wrong, right));
        EXPECT_EQ(second_is_faulty.faulty_device(nothing), std::nullopt);
        const auto& holding = position == 999 ? last : first;
        EXPECT_EQ(second_is_faulty.faulty_device(holding), "b");
        EXPECT_EQ(first_is_faulty.faulty_device(holding), "a");
    }
}

TEST(Mismatch, remains_where_both_are_found_or_for_too_long) {
    const std::vector<std::byte> zero(8), one(8, std::byte{1});
    std::vector<std::byte> both = zero;
    both.insert(both.end(), one.begin(), one.end());
    Mismatch mismatch({"a", "b"}, spans(zero, one));
    for (int k = 0; k < 4096; ++k) EXPECT_EQ(mismatch.faulty_device(both), std::nullopt);
    EXPECT_EQ(mismatch.faulty_device(zero), std::nullopt);
}

}  // namespace trellis::redundant_device_test
