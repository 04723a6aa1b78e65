// Streams without TLS: many buffers with few calls, and short reads of bytes that have arrived already.
#include "trellis/transport/streams/socket_stream.hpp"

#include <gtest/gtest.h>

#include <array>
#include <asio/io_context.hpp>
#include <asio/local/connect_pair.hpp>
#include <asio/local/stream_protocol.hpp>
#include <span>
#include <vector>

#include "unit/transport/coroutine_result.hpp"

namespace trellis::socket_stream_test {

using Local = asio::local::stream_protocol;

class SocketStreamTest : public testing::Test {
  protected:
    SocketStreamTest() {
        Local::socket near(io_), far(io_);
        asio::local::connect_pair(near, far);
        near_ = std::make_unique<SocketStream<Local::socket>>(std::move(near), "far");
        far_ = std::make_unique<SocketStream<Local::socket>>(std::move(far), "near");
    }

    auto begin(asio::awaitable<void> work) { return result_of(io_.get_executor(), std::move(work)); }
    void run() {
        io_.restart();
        io_.run();
    }

    asio::io_context io_;
    std::unique_ptr<SocketStream<Local::socket>> near_, far_;
};

TEST_F(SocketStreamTest, one_read_returns_bytes_that_arrived_together) {
    constexpr std::size_t frames = 8, bytes = 1000;
    std::vector<std::byte> sent(frames * bytes), got(bytes);
    for (std::size_t k = 0; k < sent.size(); ++k) sent[k] = static_cast<std::byte>(k / bytes);
    const std::array<asio::const_buffer, 1> all{asio::buffer(sent)};
    EXPECT_FALSE(far_->read_at_once(got));
    auto written = begin(near_->write(all));
    auto read = begin(far_->read(std::span(got)));
    run();
    written.get();
    read.get();
    for (std::size_t frame = 1; frame < frames; ++frame) {
        ASSERT_TRUE(far_->read_at_once(got));
        EXPECT_EQ(got.front(), static_cast<std::byte>(frame));
        EXPECT_EQ(got.back(), static_cast<std::byte>(frame));
    }
    EXPECT_FALSE(far_->read_at_once(std::span(got).first(1)));
}

TEST_F(SocketStreamTest, nothing_is_read_once_it_is_closed) {
    std::array<std::byte, 2> sent{}, got{};
    const std::array<asio::const_buffer, 1> both{asio::buffer(sent)};
    auto written = begin(near_->write(both));
    auto read = begin(far_->read(std::span(got).first(1)));
    run();
    far_->close();
    EXPECT_FALSE(far_->read_at_once(std::span(got).first(1)));
}

// More bytes than the socket takes, in more buffers than one system call does, some of them empty.
TEST_F(SocketStreamTest, many_buffers_arrive_in_their_order) {
    std::vector<std::byte> sent(8 << 20), got(sent.size());
    for (std::size_t k = 0; k < sent.size(); ++k) sent[k] = static_cast<std::byte>(k * k >> 7);
    std::vector<asio::const_buffer> buffers;
    std::size_t done = 0;
    for (std::size_t k = 0; done < sent.size(); ++k) {
        const std::size_t length = std::min(k % 3 == 0 ? 0 : 100 * k, sent.size() - done);
        buffers.emplace_back(sent.data() + done, length);
        done += length;
    }
    buffers.emplace_back();
    auto written = begin(near_->write(buffers));
    auto read = begin(far_->read(std::span(got)));
    run();
    written.get();
    read.get();
    EXPECT_EQ(got, sent);
}

TEST_F(SocketStreamTest, a_peer_that_has_gone_is_an_error) {
    std::byte got{};
    near_->close();
    auto read = begin(far_->read(std::span(&got, 1)));
    const std::array<asio::const_buffer, 1> one{asio::const_buffer(&got, 1)};
    auto written = begin(far_->write(one));
    run();
    EXPECT_THROW(read.get(), asio::system_error);
    EXPECT_THROW(written.get(), asio::system_error);
}

}  // namespace trellis::socket_stream_test
