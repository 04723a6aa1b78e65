#include "trellis/transport/streams/pipe_stream.hpp"

#include <asio/posix/stream_descriptor.hpp>
#include <asio/read.hpp>
#include <asio/use_awaitable.hpp>
#include <asio/write.hpp>

#include "trellis/transport/streams/close.hpp"

namespace trellis {

namespace {

class PipeStream : public Stream {
  public:
    PipeStream(const asio::any_io_executor& executor, int from, int to) : from_(executor, from), to_(executor, to) {}

    asio::awaitable<void> read(std::span<const asio::mutable_buffer> buffers) override {
        co_await asio::async_read(from_, buffers, asio::use_awaitable);
    }
    asio::awaitable<void> write(std::span<const asio::const_buffer> buffers) override {
        co_await asio::async_write(to_, buffers, asio::use_awaitable);
    }
    void close() override {
        close_quietly(from_);
        close_quietly(to_);
    }
    const std::string& peer() const override { return peer_; }

  private:
    asio::posix::stream_descriptor from_, to_;
    std::string peer_ = "the standard input";
};

}  // namespace

std::shared_ptr<Stream> pipe_stream(const asio::any_io_executor& executor, int from, int to) {
    return std::make_shared<PipeStream>(executor, from, to);
}

}  // namespace trellis
