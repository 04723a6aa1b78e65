// A connection over TLS that is silent for a while: shorter and longer than the grace.
#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "trellis/devices/remote/open.hpp"
#include "trellis/forces/gravity/gravity_force.hpp"
#include "trellis/serve/served_kernels.hpp"
#include "trellis/transport/keys/known_keys.hpp"
#include "unit/devices/remote/running_server.hpp"
#include "unit/devices/scaling_kernels.hpp"
#include "unit/error_message.hpp"
#include "unit/run/simulation_on_ranks.hpp"

namespace trellis::grace_test {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

class GraceTest : public testing::Test {
  protected:
    GraceTest() {
        register_scaling_kernels();
        const std::uint16_t port = server_.server().listen_tls("127.0.0.1", 0);
        server_.start();
        const auto here = asio::ip::make_address("127.0.0.1");
        relay_ = std::make_unique<Relay<Tcp>>(Tcp::endpoint(here, 0), Tcp::endpoint(here, port));
        const std::string host = "127.0.0.1:" + std::to_string(relay_->endpoint().port());
        KnownKeys(keys_.path(), KnownKeys::List::trusted).add({host, Server::fingerprint()});
        KnownKeys(keys_.path(), KnownKeys::List::allowed).add({"here", Server::fingerprint()});
        name_ = "trellis://" + host + "/cpu";
    }

    KeysFolder keys_;
    RunningServer server_;
    std::unique_ptr<Relay<Tcp>> relay_;
    std::string name_;
};

TEST_F(GraceTest, silence_within_the_grace_costs_time_alone) {
    const auto device = open_device(name_, 1 << 22, milliseconds(10'000));
    const std::size_t count = 200'000;
    const DeviceMemory memory(device, count * sizeof(float));
    const auto queue = device->make_queue();
    std::vector<float> values(count, 1), back(count);
    queue->upload(memory, 0, std::as_bytes(std::span(values)));
    std::thread link;
    for (int k = 0; k < 20; ++k) {
        launch_scaling(*queue, "scale", memory, count, 2);
        queue->flush();
        if (k == 10) {
            relay_->hold();
            link = std::thread([&] {
                std::this_thread::sleep_for(milliseconds(1500));
                relay_->release();
            });
        }
    }
    queue->download(memory, 0, std::as_writable_bytes(std::span(back)));
    queue->wait();
    link.join();
    for (const float value : back) ASSERT_EQ(value, static_cast<float>(1 << 20));
    EXPECT_FALSE(server_.logged("resumed").empty());
}

// Uploads are received in the memory of the device: one that is cut off is sent again from its beginning.
TEST_F(GraceTest, uploads_that_are_cut_off_are_repeated) {
    const std::size_t bytes = 24 << 20;
    const auto device = open_device(name_, bytes, milliseconds(30'000));
    const DeviceMemory memory(device, bytes);
    const auto queue = device->make_queue();
    std::vector<std::byte> sent(bytes), back(bytes);
    for (int round = 0; round < 4; ++round) {
        for (std::size_t k = 0; k < bytes; ++k) sent[k] = static_cast<std::byte>((k >> 3) + k / 1021 + 17 * round);
        queue->upload(memory, 0, sent);
        queue->flush();
        std::this_thread::sleep_for(milliseconds(1 + 7 * round));
        relay_->cut();
        queue->download(memory, 0, back);
        queue->wait();
        ASSERT_TRUE(back == sent);
    }
    EXPECT_FALSE(server_.logged("resumed").empty());
}

TEST_F(GraceTest, silence_beyond_the_grace_loses_the_device_and_the_session) {
    const auto device = open_device(name_, 1 << 20, milliseconds(500));
    const DeviceMemory memory(device, 400);
    const auto queue = device->make_queue();
    queue->wait();
    relay_->hold();
    const auto start = Clock::now();
    launch_scaling(*queue, "scale", memory, 100, 2);
    EXPECT_NE(failure_of(*queue).find("is lost: silent for 0.5 s"), std::string::npos);
    EXPECT_LT(Clock::now() - start, milliseconds(3000));
    const auto waiting = server_.logged("waiting", 1);  // the server must find out itself that the connection is dead
    ASSERT_EQ(waiting.size(), 1U);
    EXPECT_NE(waiting[0].find("why=nothing was received for=0.5 s"), std::string::npos) << waiting[0];
    EXPECT_EQ(server_.logged("closed", 1).size(), 1U);
    relay_->release();
}

// Handshakes and heartbeats arrive, so each connection looks alive.
TEST_F(GraceTest, a_network_that_loses_long_frames_loses_the_device_after_the_grace) {
    for (const bool upload : {true, false}) {
        relay_->lose_from(1 << 20);
        const auto device = open_device(name_, 1 << 22, milliseconds(2000));
        const DeviceMemory memory(device, 1 << 20);
        const auto queue = device->make_queue();
        std::vector<std::byte> bytes(memory.bytes());
        queue->wait();
        relay_->lose_from(3000);
        const auto start = Clock::now();
        if (upload)
            queue->upload(memory, 0, bytes);
        else
            queue->download(memory, 0, bytes);
        EXPECT_NE(failure_of(*queue).find("is lost: silent for 2.0 s"), std::string::npos);
        EXPECT_GT(Clock::now() - start, milliseconds(1900));
        EXPECT_LT(Clock::now() - start, milliseconds(6000));
    }
}

TEST_F(GraceTest, an_idle_client_is_asked_and_kept) {
    const auto device = open_device(name_, 1 << 20, milliseconds(0));
    std::this_thread::sleep_for(milliseconds(2700));
    EXPECT_TRUE(server_.logged("waiting").empty());
    EXPECT_TRUE(server_.logged("resumed").empty());
    device->make_queue()->wait();
}

TEST_F(GraceTest, a_spare_replaces_a_device_behind_a_dead_connection) {
    provide_kernels();
    const auto after_steps = [&](const std::string& name, bool dies) {
        auto particles = moving_plummer(300);
        Simulation sim(particles, 0.01);
        sim.add_force(
            gravity(0.05, 1, {.method = Method::tree, .order = 1}, open_device(name, 1 << 26, milliseconds(500))));
        sim.set_spares({"cpu"});
        sim.run_steps(2);
        if (dies) relay_->hold();
        sim.run_steps(2);
        EXPECT_EQ(sim.take_device_notes().size(), dies ? 1U : 0U);
        return particles;
    };
    expect_same_bits(*after_steps(name_, true), *after_steps("cpu", false));
}

TEST(Grace, has_bounds) {
    EXPECT_EQ(message_of<InputError>([&] { open_device("cpu", 0, milliseconds(-1000)); }),
              "grace is -1: allowed is 0 to 3600 seconds");
    EXPECT_EQ(message_of<InputError>([&] { open_device("cpu", 0, milliseconds(3'601'000)); }),
              "grace is 3601: allowed is 0 to 3600 seconds");
}

}  // namespace trellis::grace_test
