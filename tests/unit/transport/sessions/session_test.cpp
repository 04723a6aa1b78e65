// A session over a stream of the test. Sessions over real ones are tested with servers and clients of devices.
#include "trellis/transport/sessions/session.hpp"

#include <gtest/gtest.h>

#include <asio/error.hpp>
#include <asio/io_context.hpp>
#include <asio/post.hpp>
#include <asio/system_error.hpp>

namespace trellis::session_test {

// Its peer has closed it already.
class ClosedStream final : public Stream {
  public:
    explicit ClosedStream(int& written) : written_(written) {}
    asio::awaitable<void> read(std::span<const asio::mutable_buffer>) override {
        throw asio::system_error(asio::error::eof);
        co_return;
    }
    asio::awaitable<void> write(std::span<const asio::const_buffer>) override {
        ++written_;
        co_return;
    }
    void close() override {}
    const std::string& peer() const override { return peer_; }

  private:
    int& written_;
    const std::string peer_ = "a test";
};

class LosingUser final : public SessionUser {
  public:
    Destination destination_of(const FrameHeader&, std::vector<std::byte>) override { return {}; }
    void taken(const FrameHeader&) override {}
    void lost(const std::string&, bool broken_rules) override {
        ++losses;
        EXPECT_FALSE(broken_rules);
    }
    int losses = 0;
};

TEST(Session, writes_nothing_over_a_connection_that_ends_as_it_is_attached) {
    asio::io_context io;
    const auto user = std::make_shared<LosingUser>();
    const auto session = std::make_shared<Session>(io.get_executor(), user);
    session->send({});
    int written = 0;
    // by the executor's thread: what attach begins runs at once then
    asio::post(io, [&] { session->attach(std::make_shared<ClosedStream>(written), 0); });
    io.run();
    EXPECT_EQ(user->losses, 1);
    EXPECT_EQ(written, 0);
    EXPECT_FALSE(session->attached());
}

}  // namespace trellis::session_test
