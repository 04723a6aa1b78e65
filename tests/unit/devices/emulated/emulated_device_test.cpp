// Emulated devices: kernels take the time given, and compute or give random results; thousands share one thread.
#include "trellis/devices/emulated/emulated_device.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <cstdlib>

#include "trellis/devices/remote/open.hpp"
#include "unit/devices/scaling_kernels.hpp"
#include "unit/error_message.hpp"

namespace trellis::emulated_device_test {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

// A device with a queue and numbers that a kernel doubles.
struct Doubling {
    explicit Doubling(const std::string& name) : device(open_device(name, 1 << 20)), queue(device->make_queue()) {
        register_scaling_kernels();
    }
    void begin() {
        queue->upload(memory, 0, std::as_bytes(std::span(values)));
        launch_scaling(*queue, "scale", memory, values.size(), 2);
        queue->download(memory, 0, std::as_writable_bytes(std::span(values)));
    }

    std::shared_ptr<Device> device;
    std::unique_ptr<Queue> queue;
    DeviceMemory memory{device, 100 * sizeof(float)};
    std::vector<float> values = std::vector<float>(100, 3);
};

TEST(EmulatedDevice, computes_in_the_time_given) {
    Doubling run("rehearsal:0.1");
    const auto start = Clock::now();
    run.begin();
    run.queue->wait();
    EXPECT_GE(seconds_since(start), 0.1);
    EXPECT_EQ(run.values, std::vector<float>(100, 6));
    const QueueTimes times = run.queue->take_times();
    EXPECT_GE(times.kernel, 0.1);
    EXPECT_EQ(times.bytes_up, 400U);
    EXPECT_EQ(times.bytes_down, 400U);
}

TEST(EmulatedDevice, runs_its_kernels_one_after_another_and_others_beside_them) {
    Doubling one("rehearsal:0.1"), other("rehearsal:0.1");
    const auto second = one.device->make_queue();
    DeviceMemory more(one.device, sizeof(float));
    const auto start = Clock::now();
    one.begin();
    other.begin();
    launch_scaling(*second, "scale", more, 1, 2);
    other.queue->wait();
    EXPECT_EQ(other.values, std::vector<float>(100, 6));
    one.queue->wait();
    second->wait();
    EXPECT_GE(seconds_since(start), 0.2);
    for (Queue* queue : {one.queue.get(), second.get()}) EXPECT_NEAR(queue->take_times().kernel, 0.1, 0.05);
}

TEST(EmulatedDevice, a_thousand_take_no_longer_than_one) {
    std::vector<std::unique_ptr<Doubling>> all;
    for (int k = 0; k < 1024; ++k) all.push_back(std::make_unique<Doubling>("rehearsal:0.5"));
    const auto start = Clock::now();
    for (const auto& run : all) run->begin();
    for (const auto& run : all) run->queue->wait();
    EXPECT_LT(seconds_since(start), 5);  // 512 one after another
    for (const auto& run : all) EXPECT_EQ(run->values[7], 6);
}

TEST(EmulatedDevice, draws_the_same_finite_results_from_the_same_seed) {
    const auto drawn = [](const char* name) {
        Doubling run(name);
        run.begin();
        run.queue->wait();
        return run.values;
    };
    const std::vector<float> values = drawn("rehearsal:0:7");
    EXPECT_EQ(drawn("rehearsal:0:7"), values);
    EXPECT_NE(drawn("rehearsal:0:8"), values);
    for (const float value : values) EXPECT_TRUE(std::abs(value) >= 1 && std::abs(value) < 2) << value;
}

TEST(EmulatedDevice, fails_as_other_devices_do) {
    Doubling run("rehearsal:0");
    launch_scaling(*run.queue, "explode", run.memory, 1, 1);
    run.begin();
    EXPECT_EQ(failure_of(*run.queue), "device rehearsal:0 failed: it exploded");
    EXPECT_EQ(run.values[0], 3);
    for (const char* name : {"rehearsal:", "rehearsal:-1", "rehearsal:1:x", "rehearsal:1:", "rehearsal:1e9"})
        EXPECT_NE(message_of([&] { open_device(name); }).find("allowed are rehearsal:SECONDS"), std::string::npos);
}

TEST(EmulatedDevice, computes_in_a_fork_of_a_program_that_has_one) {
    const auto doubles = [] {
        Doubling run("rehearsal:0");
        run.begin();
        run.queue->wait();
        return run.values[7] == 6;
    };
    ASSERT_TRUE(doubles());
    for (const bool uses_one : {true, false}) {
        const pid_t fork = ::fork();
        if (fork == 0) {
            alarm(10);
            std::exit(!uses_one || doubles() ? 0 : 1);
        }
        int status = 0;
        waitpid(fork, &status, 0);
        EXPECT_EQ(status, 0) << uses_one;
    }
}

}  // namespace trellis::emulated_device_test
