// Calls of several devices of a connection leave with one write, and so do their answers.
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>

#include "trellis/devices/message_batch.hpp"
#include "trellis/devices/remote/open.hpp"
#include "trellis/transport/keys/identity.hpp"
#include "trellis/transport/keys/known_keys.hpp"
#include "unit/devices/remote/running_server.hpp"
#include "unit/devices/scaling_kernels.hpp"

namespace trellis::few_messages_test {

constexpr std::size_t bytes = 1024, devices = 8;

// TLS writes one record for the bytes of one write, up to 16 KiB.
std::size_t records_in(const std::vector<char>& sent) {
    constexpr std::size_t header = 5;
    const auto byte = [&](std::size_t k) { return std::size_t{static_cast<unsigned char>(sent[k])}; };
    std::size_t records = 0;
    for (std::size_t k = 0; k + header <= sent.size(); k += header + 256 * byte(k + 3) + byte(k + 4)) ++records;
    return records;
}

class FewMessagesTest : public testing::Test {
  protected:
    FewMessagesTest()
        : endpoint_(asio::ip::make_address("127.0.0.1"), server_.server().listen_tls("127.0.0.1", 0)),
          relay_(Tcp::endpoint(endpoint_.address(), 0), endpoint_) {
        server_.start();
        const std::string host = "127.0.0.1:" + std::to_string(relay_.endpoint().port());
        KnownKeys(keys_.path(), KnownKeys::List::trusted).add({host, Server::fingerprint()});
        KnownKeys(keys_.path(), KnownKeys::List::allowed).add({"here", Server::fingerprint()});
        for (std::size_t k = 0; k < devices; ++k)
            reached_.emplace_back(open_device("trellis://" + host + "/cpu", bytes), static_cast<std::byte>(k));
        for (Reached& one : reached_) one.queue->wait();
    }

    struct Reached {
        Reached(const std::shared_ptr<Device>& device, std::byte value)
            : memory(device, bytes), queue(device->make_queue()), sent(bytes, value), back(bytes) {
            queue->upload(memory, 0, sent);
        }
        void begin() {
            queue->upload(memory, 0, sent);
            queue->download(memory, 0, back);
            queue->flush();
        }
        DeviceMemory memory;
        std::unique_ptr<Queue> queue;
        std::vector<std::byte> sent, back;
    };
    struct Records {
        std::size_t up, down;
    };

    Records records() { return {records_in(relay_.sent_by_clients()), records_in(relay_.sent_by_server())}; }

    void finish() {
        for (Reached& one : reached_) {
            one.queue->wait();
            EXPECT_EQ(one.back, one.sent);
            std::ranges::fill(one.back, std::byte{255});
        }
    }

    KeysFolder keys_;
    RunningServer server_;
    Tcp::endpoint endpoint_;
    Relay<Tcp> relay_;
    std::deque<Reached> reached_;
};

// Heartbeats of a slow machine add records to some rounds, not to all of them.
TEST_F(FewMessagesTest, calls_of_several_devices_of_a_connection_are_one_record_each_way) {
    Records least{1000, 1000};
    for (int round = 0; round < 5; ++round) {
        const Records before = records();
        {
            const MessageBatch together;
            for (Reached& one : reached_) one.begin();
        }
        finish();
        const Records now = records();
        least = {std::min(least.up, now.up - before.up), std::min(least.down, now.down - before.down)};
    }
    EXPECT_EQ(least.up, 1U);
    EXPECT_EQ(least.down, 1U);
}

// Short copies are made at once if the device is idle, others by its thread.
TEST_F(FewMessagesTest, answers_keep_the_order_of_their_calls) {
    register_scaling_kernels();
    Reached& one = reached_.front();
    for (int round = 0; round < 100; ++round) {
        one.queue->upload(one.memory, 0, one.sent);
        launch_scaling(*one.queue, "scale", one.memory, bytes / sizeof(float), 1);
        for (int k = 0; k < 40; ++k) {
            one.queue->download(one.memory, 0, one.back);
            one.queue->flush();
        }
        one.queue->wait();
        ASSERT_EQ(one.back, one.sent);
    }
}

TEST_F(FewMessagesTest, a_thread_that_waits_in_between_is_not_held_up) {
    const MessageBatch together;
    for (Reached& one : reached_) {
        one.begin();
        one.queue->wait();
    }
    finish();
}

}  // namespace trellis::few_messages_test
