// A stream with TLS that is closed while other streams have their turn.
#include "trellis/transport/streams/tls_stream.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <array>
#include <asio/io_context.hpp>
#include <span>

#include "unit/transport/coroutine_result.hpp"
#include "unit/transport/keys_folder.hpp"

namespace trellis::tls_stream_test {

using Tcp = asio::ip::tcp;

constexpr std::size_t record_bytes = 16 << 10;
constexpr int writes_before_a_turn = 4080;  // writes of one byte: the next one is the last of a turn

// Memory that may be made unreadable.
class Pages {
  public:
    Pages() : begin_(mmap(nullptr, record_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)) {}
    ~Pages() { munmap(begin_, record_bytes); }
    Pages(const Pages&) = delete;
    Pages& operator=(const Pages&) = delete;

    asio::const_buffer bytes() const { return {begin_, record_bytes}; }
    void withdraw() { mprotect(begin_, record_bytes, PROT_NONE); }

  private:
    void* begin_;
};

class TlsStreamTest : public testing::Test {
  protected:
    TlsStreamTest() {
        Tcp::acceptor acceptor(io_, Tcp::endpoint(asio::ip::address_v4::loopback(), 0));
        Tcp::socket near(io_);
        near.connect(acceptor.local_endpoint());
        Tcp::socket far = acceptor.accept();
        const auto context = tls_context(identity_in(keys_.path()));
        near_ = std::make_unique<TlsStream>(std::move(near), context.get(), "far");
        far_ = std::make_unique<TlsStream>(std::move(far), context.get(), "near");
        const AcceptKey all = [](const std::string& /*fingerprint*/) { return true; };
        auto served = result_of(io_.get_executor(), far_->handshake(TlsStream::Side::server, all));
        done(near_->handshake(TlsStream::Side::client, all));
        served.get();
    }

    void done(asio::awaitable<void> work) {
        auto future = result_of(io_.get_executor(), std::move(work));
        io_.restart();
        io_.run();
        future.get();
    }

    KeysFolder keys_;
    asio::io_context io_;
    std::unique_ptr<TlsStream> near_, far_;
};

TEST_F(TlsStreamTest, may_be_given_nothing_to_write) {
    std::byte byte{7}, got{};
    const std::array<asio::const_buffer, 3> buffers{asio::const_buffer(), asio::const_buffer(&byte, 1),
                                                    asio::const_buffer()};
    for (const std::size_t count : {1, 2}) done(near_->write(std::span(buffers).first(count)));
    done(far_->read(std::span(&got, 1)));
    EXPECT_EQ(got, byte);
    done(near_->write(std::span(buffers).last(1)));
}

TEST_F(TlsStreamTest, reads_no_buffer_once_it_is_closed) {
    std::byte byte{}, got{};
    const std::array<asio::const_buffer, 1> one{asio::const_buffer(&byte, 1)};
    for (int k = 0; k < writes_before_a_turn; ++k) {
        done(near_->write(one));
        done(far_->read(std::span(&got, 1)));
    }
    Pages pages;
    const std::array<asio::const_buffer, 2> both{one[0], pages.bytes()};
    auto written = result_of(io_.get_executor(), near_->write(both));
    bool others_had_their_turn = false;
    asio::post(io_, [&] {
        others_had_their_turn = true;
        near_->close();
        pages.withdraw();
    });
    io_.restart();
    io_.run();
    EXPECT_TRUE(others_had_their_turn);
    EXPECT_THROW(written.get(), asio::system_error);
}

}  // namespace trellis::tls_stream_test
