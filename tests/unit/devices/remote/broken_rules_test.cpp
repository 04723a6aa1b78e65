// Clients that break the rules: they repeat a frame, omit one, or never read.
#include <gtest/gtest.h>

#include <cstring>

#include "trellis/devices/remote/open.hpp"
#include "unit/devices/remote/raw_client.hpp"
#include "unit/devices/remote/running_server.hpp"
#include "unit/devices/scaling_kernels.hpp"
#include "unit/error_message.hpp"

namespace trellis::broken_rules_test {

class BrokenRulesTest : public testing::Test {
  protected:
    BrokenRulesTest() {
        register_scaling_kernels();
        server_.server().listen_unix(keys_.socket());
        server_.start();
    }

    template <class T>
    static std::vector<std::byte> bytes_of(const T& value) {
        std::vector<std::byte> bytes(sizeof value);
        std::memcpy(bytes.data(), &value, sizeof value);
        return bytes;
    }
    // A device with one queue and one number, in two frames.
    static void open(RawClient& client, float number) {
        client.send(1, body_of({wire::OpenDevice{"cpu", 1 << 20}, wire::MakeQueue{1}, wire::Allocate{1, 4}}));
        client.send(2, body_of({wire::Upload{1, 1, 0, sizeof number}}), bytes_of(number));
    }
    static std::vector<std::byte> doubling() {
        return body_of({wire::Launch{1, "scale", bytes_of(Scaling{1, 2}), {1}}});
    }
    static float read_back(RawClient& client, std::uint64_t request) {
        client.send(request, body_of({wire::Download{1, 1, 0, sizeof(float)}}));
        for (float number = 0;;)
            if (const auto frame = client.receive(); frame.data.size() == sizeof number) {
                std::memcpy(&number, frame.data.data(), sizeof number);
                return number;
            }
    }

    KeysFolder keys_;
    RunningServer server_;
};

TEST_F(BrokenRulesTest, a_frame_that_comes_again_is_not_carried_out_again) {
    Welcome welcome;
    {
        RawClient client("unix:" + keys_.socket());
        welcome = client.handshake();
        open(client, 1);
        client.send(3, doubling());
        client.send(3, doubling());  // within one connection
        EXPECT_EQ(client.received_by_server(), 3U);
    }
    RawClient again("unix:" + keys_.socket());
    EXPECT_EQ(again.handshake(welcome.session).received, 3U);
    again.send(2, doubling());
    again.send(3, doubling());  // after a new connection
    EXPECT_EQ(read_back(again, 4), 2);
    EXPECT_TRUE(server_.logged("closed").empty());
}

TEST_F(BrokenRulesTest, a_frame_that_is_missing_ends_the_session) {
    RawClient client("unix:" + keys_.socket());
    client.handshake();
    client.send(2, body_of({wire::ListDevices{}}));
    client.drain();
    EXPECT_NE(server_.logged("closed", 1).at(0).find("a frame is missing"), std::string::npos);
}

TEST_F(BrokenRulesTest, a_resume_that_claims_what_was_never_sent_gives_the_session_up) {
    RawClient client("unix:" + keys_.socket());
    const Welcome welcome = client.handshake();
    RawClient faulty("unix:" + keys_.socket());
    faulty.handshake(welcome.session, 1000);
    faulty.drain();
    EXPECT_NE(server_.logged("refused", 1).at(0).find("never sent"), std::string::npos);
    EXPECT_EQ(server_.logged("closed", 1).size(), 1U);  // after the time of grace
}

TEST_F(BrokenRulesTest, a_client_with_a_wrong_session_key_is_refused) {
    RawClient client("unix:" + keys_.socket());
    SessionKey guessed = client.handshake().session;
    guessed[0] ^= std::byte{1};
    RawClient guesser("unix:" + keys_.socket());
    EXPECT_NE(message_of<InputError>([&] { guesser.handshake(guessed); }).find("it does not know the session"),
              std::string::npos);
    EXPECT_EQ(server_.logged("opened").size(), 1U);
}

TEST_F(BrokenRulesTest, empty_frames_end_the_session) {
    RawClient client("unix:" + keys_.socket());
    client.handshake();
    client.send(1, {});
    EXPECT_NE(server_.logged("closed", 1).at(0).find("a frame has no calls"), std::string::npos);
}

// A kernel would read beyond the constants or addresses of the launch.
TEST_F(BrokenRulesTest, wrong_arguments_of_a_kernel_end_the_session) {
    const std::vector<std::byte> constants = bytes_of(Scaling{1, 2});
    const std::vector<std::byte> fewer(constants.begin(), constants.end() - 1);
    const wire::Launch launches[] = {{1, "scale", fewer, {1}},
                                     {1, "scale", std::vector<std::byte>(9), {1}},
                                     {1, "scale", {}, {1}},
                                     {1, "scale", constants, {}},
                                     {1, "scale", constants, {1, 1}}};
    const char* given[] = {"7 bytes of constants and 1", "9 bytes of constants and 1", "0 bytes of constants and 1",
                           "8 bytes of constants and 0", "8 bytes of constants and 2"};
    RawClient other("unix:" + keys_.socket());
    other.handshake();
    open(other, 1);
    for (std::size_t k = 0; k < std::size(launches); ++k) {
        RawClient client("unix:" + keys_.socket());
        client.handshake();
        open(client, 1);
        client.send(3, body_of({launches[k]}));
        client.drain();
        const std::string line = server_.logged("closed", k + 1).at(k);
        EXPECT_NE(line.find("a launch of 'scale' has " + std::string(given[k])), std::string::npos) << line;
        EXPECT_NE(line.find("it takes 8 bytes of constants and 1 memories"), std::string::npos) << line;
    }
    other.send(3, doubling());
    EXPECT_EQ(read_back(other, 4), 2);
}

// The memory has room for one number.
TEST_F(BrokenRulesTest, a_launch_beyond_the_end_of_its_memory_ends_the_session) {
    RawClient other("unix:" + keys_.socket());
    other.handshake();
    open(other, 1);
    RawClient client("unix:" + keys_.socket());
    client.handshake();
    open(client, 1);
    client.send(3, body_of({wire::Launch{1, "scale", bytes_of(Scaling{0x7fffffff, 2}), {1}}}));
    client.drain();
    const std::string line = server_.logged("closed", 1).at(0);
    EXPECT_NE(line.find("a launch of 'scale' uses 8589934588 bytes of its memory 1, which has 4"), std::string::npos)
        << line;
    other.send(3, doubling());
    EXPECT_EQ(read_back(other, 4), 2);
}

// A kernel may be registered without its arguments.
TEST_F(BrokenRulesTest, a_kernel_whose_arguments_are_unknown_is_not_launched) {
    register_kernel(DeviceKind::cpu, "of this process alone", scale);
    const auto device = open_device("unix:" + keys_.socket() + "/cpu", 1 << 20);
    const DeviceMemory memory(device, sizeof(float));
    const auto queue = device->make_queue();
    launch_scaling(*queue, "of this process alone", memory, 1, 2);
    EXPECT_NE(failure_of(*queue).find("has no kernel 'of this process alone'"), std::string::npos);
}

// If a client never reads answers, the server first stops carrying out its calls, and then receiving its bytes.
TEST_F(BrokenRulesTest, a_client_that_never_reads_is_stopped_by_its_credit) {
    RawClient client("unix:" + keys_.socket());
    client.grace = 60'000;  // a slow server may take seconds for the calls
    client.handshake();
    open(client, 1);
    const std::vector<std::byte> one = body_of({wire::Notify{1}});
    std::vector<std::byte> questions;
    while (questions.size() < 900'000) questions.insert(questions.end(), one.begin(), one.end());
    std::uint64_t sent = 0;
    for (std::uint64_t request = 3; sent < 200; ++request, ++sent) {
        FrameHeader header;
        header.type = FrameType::calls;
        header.device = 1;
        header.request = request;
        if (!client.write(encoded(header, questions))) break;
    }
    EXPECT_LT(sent, 90U);
    EXPECT_NE(server_.logged("closed", 1).at(0).find("more than its credit"), std::string::npos);
}

}  // namespace trellis::broken_rules_test
