// A device that a server lends, over a Unix socket and over TLS: the same calls as for a local device, and failures of
// connections, servers and kernels.
#include <gtest/gtest.h>

#include <chrono>
#include <numeric>
#include <thread>

#include "trellis/devices/remote/open.hpp"
#include "trellis/transport/keys/identity.hpp"
#include "trellis/transport/keys/known_keys.hpp"
#include "unit/devices/remote/running_server.hpp"
#include "unit/devices/scaling_kernels.hpp"
#include "unit/error_message.hpp"

namespace trellis::remote_device_test {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

class RemoteDeviceTest : public testing::Test {
  protected:
    RemoteDeviceTest() {
        register_scaling_kernels();
        server_ = std::make_unique<RunningServer>();
        server_->server().listen_unix(keys_.socket());
        server_->start();
    }

    // Uploads `count` numbers, doubles them with the kernel, and downloads them.
    static std::vector<float> doubled(const std::shared_ptr<Device>& device, std::size_t count,
                                      const char* kernel = "scale") {
        std::vector<float> values(count), back(count);
        std::iota(values.begin(), values.end(), 1.0F);
        const DeviceMemory memory(device, count * sizeof(float));
        const auto queue = device->make_queue();
        queue->upload(memory, 0, std::as_bytes(std::span(values)));
        launch_scaling(*queue, kernel, memory, count, 2);
        queue->download(memory, 0, std::as_writable_bytes(std::span(back)));
        queue->wait();
        return back;
    }
    static void expect_doubled(const std::vector<float>& back) {
        for (std::size_t k = 0; k < back.size(); ++k) ASSERT_EQ(back[k], 2 * static_cast<float>(k + 1)) << k;
    }

    KeysFolder keys_;
    std::unique_ptr<RunningServer> server_;
    const std::string name_ = "unix:" + keys_.socket() + "/cpu";
};

TEST_F(RemoteDeviceTest, carries_out_the_calls_of_a_local_device) {
    const auto device = open_device(name_, 1 << 20);
    EXPECT_EQ(device->name(), name_);
    EXPECT_EQ(device->memory_bytes(), 1U << 20);
    EXPECT_EQ(device->description(), open_device("cpu")->description());
    expect_doubled(doubled(device, 100));
    EXPECT_EQ(device->memory_left(), 1U << 20);
}

TEST_F(RemoteDeviceTest, long_copies_travel_in_parts) {
    const auto device = open_device(name_, 1 << 28);
    expect_doubled(doubled(device, 10'000'003));
}

TEST_F(RemoteDeviceTest, parts_of_memory_are_read_and_written) {
    const auto device = open_device(name_, 1 << 20);
    const DeviceMemory memory(device, 400);
    const auto queue = device->make_queue();
    const std::vector<float> ones(100, 1), twos(10, 2);
    std::vector<float> back(20);
    queue->upload(memory, 0, std::as_bytes(std::span(ones)));
    queue->upload(memory, 200, std::as_bytes(std::span(twos)));
    queue->download(memory, 180, std::as_writable_bytes(std::span(back)));
    queue->wait();
    EXPECT_EQ(back[4], 1);
    EXPECT_EQ(back[5], 2);
    EXPECT_EQ(back[14], 2);
    EXPECT_EQ(back[15], 1);
}

TEST_F(RemoteDeviceTest, one_queue_waits_for_a_mark_of_another) {
    const auto device = open_device(name_, 1 << 20);
    const DeviceMemory memory(device, 400);
    const auto first = device->make_queue(), second = device->make_queue();
    std::vector<float> values(100, 1), back(100);
    first->upload(memory, 0, std::as_bytes(std::span(values)));
    launch_scaling(*first, "sleep_long_then_scale", memory, 100, 5);
    second->after(first->mark());
    second->download(memory, 0, std::as_writable_bytes(std::span(back)));
    second->wait();
    EXPECT_EQ(back[99], 5);
    first->wait();
}

TEST_F(RemoteDeviceTest, a_step_of_several_calls_is_at_most_one_round_trip) {
    const auto device = open_device(name_, 1 << 20);
    const DeviceMemory memory(device, 400);
    const auto first = device->make_queue(), second = device->make_queue();
    std::vector<float> values(100, 1), back(100), more(50);
    for (int step = 1; step <= 3; ++step) {
        first->upload(memory, 0, std::as_bytes(std::span(values)));
        launch_scaling(*first, "scale", memory, 100, 2);
        first->download(memory, 0, std::as_writable_bytes(std::span(back)));
        first->flush();
        second->after(first->mark());
        second->download(memory, 0, std::as_writable_bytes(std::span(more)));
        second->flush();
        first->wait();
        second->wait();
        QueueTimes times = first->take_times();
        times += second->take_times();
        EXPECT_LE(times.round_trips, 1U) << "step " << step;  // 0 if the answer came before it was waited for
        EXPECT_EQ(times.bytes_up, 400U);
        EXPECT_EQ(times.bytes_down, 600U);
        EXPECT_GT(times.kernels.at("scale"), 0);
    }
}

TEST_F(RemoteDeviceTest, the_failure_of_a_kernel_is_the_devices) {
    const auto device = open_device(name_, 1 << 20);
    const DeviceMemory memory(device, 400);
    const auto queue = device->make_queue();
    std::vector<float> values(100, 1), back(100);
    launch_scaling(*queue, "explode", memory, 100, 2);
    queue->upload(memory, 0, std::as_bytes(std::span(values)));
    queue->download(memory, 0, std::as_writable_bytes(std::span(back)));
    EXPECT_EQ(failure_of(*queue), "device " + name_ + " failed: it exploded");
    EXPECT_EQ(failure_of(*queue), "device " + name_ + " failed: it exploded");
    expect_doubled(doubled(open_device(name_, 1 << 20), 100));  // a new device has no failure
}

TEST_F(RemoteDeviceTest, an_unknown_kernel_is_named) {
    const auto device = open_device(name_, 1 << 20);
    const DeviceMemory memory(device, 400);
    const auto queue = device->make_queue();
    launch_scaling(*queue, "no such kernel", memory, 1, 1);
    EXPECT_EQ(failure_of(*queue), "device " + name_ + " has no kernel 'no such kernel'");
}

TEST_F(RemoteDeviceTest, memory_is_limited_without_asking_the_server) {
    const auto device = open_device(name_, 1000);
    const DeviceMemory some(device, 600);
    EXPECT_EQ(message_of<DeviceError>([&] { DeviceMemory(device, 500); }),
              "device " + name_ + " is out of memory: 500 bytes asked for, 400 of 1000 left");
}

TEST_F(RemoteDeviceTest, devices_share_a_connection_and_fail_alone) {
    const auto one = open_device(name_, 1 << 20), other = open_device(name_, 1 << 20);
    EXPECT_EQ(server_->logged("opened").size(), 1U);
    const DeviceMemory memory(one, 400);
    const auto queue = one->make_queue();
    launch_scaling(*queue, "explode", memory, 100, 2);
    EXPECT_NE(failure_of(*queue), "");
    expect_doubled(doubled(other, 1000));
}

TEST_F(RemoteDeviceTest, a_connection_has_64_of_them_and_more_have_another) {
    std::vector<std::shared_ptr<Device>> all;
    const auto open = [&](int count) {
        for (int k = 0; k < count; ++k) all.push_back(open_device(name_, 400));
        return server_->logged("opened").size();
    };
    EXPECT_EQ(open(64), 1U);
    all.erase(all.begin());
    EXPECT_EQ(open(1), 1U);  // instead of one that is closed
    EXPECT_EQ(open(1), 2U);
    expect_doubled(doubled(all.back(), 100));
    all.clear();
    EXPECT_EQ(server_->logged("closed", 2).size(), 2U);
}

TEST_F(RemoteDeviceTest, unknown_devices_and_servers_are_named) {
    std::string lent;
    for (const std::string& name : device_names()) lent += (lent.empty() ? "" : ", ") + name;
    EXPECT_EQ(
        message_of<InputError>([&] { open_device("unix:" + keys_.socket() + "/cuda:77"); }),
        "unix:" + keys_.socket() + "/cuda:77 cannot be opened: there is no device 'cuda:77' here: lent are " + lent);
    EXPECT_EQ(message_of<RunError>([&] { open_device("unix:" + keys_.socket("other") + "/cpu"); }),
              "no server listens at unix:" + keys_.socket("other"));
}

TEST_F(RemoteDeviceTest, a_connection_that_breaks_is_reopened_and_no_call_is_done_twice) {
    Relay<Local> relay(keys_.socket("relay"), keys_.socket());
    const auto device = open_device("unix:" + keys_.socket("relay") + "/cpu", 1 << 26);
    const std::size_t count = 1'000'000;
    const DeviceMemory memory(device, count * sizeof(float));
    const auto queue = device->make_queue();
    std::vector<float> values(count, 1), back(count);
    queue->upload(memory, 0, std::as_bytes(std::span(values)));
    for (int k = 0; k < 20; ++k) {
        launch_scaling(*queue, "scale", memory, count, 2);
        queue->flush();
        if (k % 5 == 3) relay.cut();
    }
    queue->download(memory, 0, std::as_writable_bytes(std::span(back)));
    queue->flush();
    relay.cut();
    queue->wait();
    for (const float value : back) ASSERT_EQ(value, static_cast<float>(1 << 20));
    EXPECT_FALSE(server_->logged("resumed").empty());
}

TEST_F(RemoteDeviceTest, a_silent_link_that_heals_costs_time_alone) {
    Relay<Local> relay(keys_.socket("relay"), keys_.socket());
    const auto device = open_device("unix:" + keys_.socket("relay") + "/cpu", 1 << 20);
    expect_doubled(doubled(device, 1000));
    relay.hold();
    std::thread healing([&] {
        std::this_thread::sleep_for(milliseconds(2500));
        relay.release();
    });
    expect_doubled(doubled(device, 1000));
    healing.join();
}

TEST_F(RemoteDeviceTest, a_server_that_ends_is_found_within_a_second) {
    const auto device = open_device(name_, 1 << 20);
    const DeviceMemory memory(device, 400);
    const auto queue = device->make_queue();
    launch_scaling(*queue, "sleep_long_then_scale", memory, 100, 2);
    queue->flush();
    server_->stop();
    const auto start = Clock::now();
    EXPECT_NE(failure_of(*queue).find("is lost"), std::string::npos);
    EXPECT_LT(Clock::now() - start, milliseconds(1000));
}

TEST_F(RemoteDeviceTest, a_client_that_goes_leaves_nothing_behind) {
    {
        const auto device = open_device(name_, 1 << 20);
        expect_doubled(doubled(device, 100));
    }
    EXPECT_EQ(server_->logged("closed", 1).size(), 1U);
}

TEST_F(RemoteDeviceTest, over_tls_both_sides_must_know_each_other) {
    RunningServer server;
    const std::uint16_t port = server.server().listen_tls("127.0.0.1", 0);
    server.start();
    const std::string host = "127.0.0.1:" + std::to_string(port), name = "trellis://" + host + "/cpu";
    const std::string key = Server::fingerprint();  // of client and server, which share a folder here

    EXPECT_NE(message_of<InputError>([&] { open_device(name); }).find("trellis keys trust " + host + " " + key),
              std::string::npos);
    KnownKeys(keys_.path(), KnownKeys::List::trusted).add({host, "sha256:" + std::string(43, 'A')});
    EXPECT_NE(message_of<InputError>([&] { open_device(name); }).find("another machine may be in between"),
              std::string::npos);
    KnownKeys(keys_.path(), KnownKeys::List::trusted).add({host, key});
    EXPECT_NE(message_of<InputError>([&] { open_device(name); }).find("does not allow the key"), std::string::npos);
    EXPECT_NE(server.logged("refused", 3).back().find("the key " + key + " is not allowed"), std::string::npos);
    KnownKeys(keys_.path(), KnownKeys::List::allowed).add({"laptop", key});
    expect_doubled(doubled(open_device(name, 1 << 26), 3'000'000));
}

TEST_F(RemoteDeviceTest, bytes_of_another_protocol_are_refused) {
    RunningServer server;
    const std::uint16_t port = server.server().listen_plain(0);
    server.start();
    asio::io_context io;
    for (const std::string& sent :
         {std::string("GET / HTTP/1.1\r\n\r\n") + std::string(100, 'x'), std::string(52, '\0')}) {
        Tcp::socket socket(io);
        socket.connect(Tcp::endpoint(asio::ip::make_address("127.0.0.1"), port));
        asio::write(socket, asio::buffer(sent));
        char answer = 0;
        asio::error_code end;
        EXPECT_EQ(asio::read(socket, asio::buffer(&answer, 1), end), 0U);
    }
    EXPECT_EQ(server.logged("refused", 2).size(), 2U);
    EXPECT_TRUE(server.logged("opened").empty());
}

}  // namespace trellis::remote_device_test
