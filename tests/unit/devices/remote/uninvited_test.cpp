// Peers without access: nothing is served to them, they are logged, and keep no client out.
#include <gtest/gtest.h>

#include <chrono>
#include <list>

#include "trellis/devices/remote/open.hpp"
#include "trellis/transport/keys/known_keys.hpp"
#include "trellis/transport/sessions/frame.hpp"
#include "unit/devices/remote/running_server.hpp"

namespace trellis::uninvited_test {

using Clock = std::chrono::steady_clock;

class UninvitedTest : public testing::Test {
  protected:
    UninvitedTest() {
        endpoint_ = {asio::ip::make_address("127.0.0.1"), server_.server().listen_tls("127.0.0.1", 0)};
        server_.server().listen_unix(keys_.socket());
        server_.start();
    }

    // Sends bytes, and returns when the server has closed the connection.
    template <class Protocol>
    void send(const typename Protocol::endpoint& server, const std::vector<char>& bytes) {
        typename Protocol::socket socket(io_);
        socket.connect(server);
        asio::error_code gone;
        asio::write(socket, asio::buffer(bytes), gone);
        std::vector<char> dropped(4096);
        for (gone.clear(); !gone;) socket.read_some(asio::buffer(dropped), gone);
    }

    KeysFolder keys_;
    RunningServer server_;
    asio::io_context io_;
    Tcp::endpoint endpoint_;
};

TEST_F(UninvitedTest, bytes_that_are_not_a_handshake_are_refused_with_one_line) {
    const std::string request = "GET / HTTP/1.1\r\nHost: gpubox\r\n\r\n";
    send<Tcp>(endpoint_, {request.begin(), request.end()});
    FrameHeader hello;
    hello.type = FrameType::hello;
    const EncodedHeader frame = encode(hello);
    const auto* bytes = reinterpret_cast<const char*>(frame.data());
    send<Tcp>(endpoint_, {bytes, bytes + frame.size()});  // the protocol, without TLS
    EXPECT_EQ(server_.refused(2), 2U);
    EXPECT_TRUE(server_.logged("opened").empty());
}

TEST_F(UninvitedTest, a_handshake_that_was_recorded_is_of_no_use) {
    Relay<Tcp> relay(Tcp::endpoint(endpoint_.address(), 0), endpoint_);
    const std::string host = "127.0.0.1:" + std::to_string(relay.endpoint().port());
    KnownKeys(keys_.path(), KnownKeys::List::trusted).add({host, Server::fingerprint()});
    KnownKeys(keys_.path(), KnownKeys::List::allowed).add({"here", Server::fingerprint()});
    open_device("trellis://" + host + "/cpu", 1 << 20);
    ASSERT_EQ(server_.logged("opened", 1).size(), 1U);
    ASSERT_EQ(server_.logged("closed", 1).size(), 1U);
    const std::vector<char> recorded = relay.sent_by_clients();
    ASSERT_GT(recorded.size(), 500U);
    send<Tcp>(endpoint_, recorded);
    EXPECT_EQ(server_.logged("refused", 1).size(), 1U);
    EXPECT_EQ(server_.logged("opened").size(), 1U);
}

TEST_F(UninvitedTest, before_the_welcome_a_frame_has_at_most_4_kib) {
    FrameHeader hello;
    hello.type = FrameType::hello;
    hello.body_bytes = 4097;
    const EncodedHeader frame = encode(hello);
    const auto* bytes = reinterpret_cast<const char*>(frame.data());
    send<Local>(keys_.socket(), {bytes, bytes + frame.size()});
    EXPECT_NE(server_.logged("refused", 1).at(0).find("a frame announces 4097 and 0 bytes"), std::string::npos);
}

// Silent connections hold half of the slots for an address at most, and the oldest makes room for the next one.
TEST_F(UninvitedTest, silent_connections_keep_no_client_out) {
    std::list<Local::socket> silent;
    for (int k = 0; k < 100; ++k) silent.emplace_back(io_).connect(Local::endpoint(keys_.socket()));
    const auto start = Clock::now();
    for (int k = 0; k < 3; ++k) open_device("unix:" + keys_.socket() + "/cpu", 1 << 20);
    EXPECT_LT(Clock::now() - start, std::chrono::seconds(4));
    EXPECT_FALSE(server_.logged("opened").empty());
    EXPECT_NE(server_.logged("refused", 1).at(0).find("its slot was needed for another connection"), std::string::npos);
}

TEST_F(UninvitedTest, a_silent_connection_ends_after_five_seconds) {
    const auto start = Clock::now();
    Local::socket silent(io_), slow(io_);
    for (Local::socket* socket : {&silent, &slow}) socket->connect(Local::endpoint(keys_.socket()));
    asio::write(slow, asio::buffer("TRLS", 4));  // the first bytes alone are not a handshake
    EXPECT_EQ(server_.refused(2), 2U);
    EXPECT_GT(Clock::now() - start, std::chrono::milliseconds(4900));
    EXPECT_EQ(server_.logged("refused").front(), "refused peer=this machine why=no handshake within 5 s");
}

// Peers without access cannot fill the log.
TEST_F(UninvitedTest, refusals_are_a_line_a_second_with_their_number) {
    const std::string request = "GET / HTTP/1.1\r\n\r\n";
    const auto start = Clock::now();
    std::size_t sent = 0;
    for (; Clock::now() - start < std::chrono::milliseconds(1500); ++sent)
        send<Tcp>(endpoint_, {request.begin(), request.end()});
    EXPECT_GT(sent, 50U);
    EXPECT_EQ(server_.refused(sent), sent);
    EXPECT_LT(server_.logged("refused").size(), 5U);
}

}  // namespace trellis::uninvited_test
