// A site that sends single frames, and may break every rule.
#pragma once

#include <asio/io_context.hpp>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "trellis/transport/connections/connect.hpp"
#include "trellis/transport/links/wide_area/site_handshake.hpp"
#include "unit/transport/coroutine_result.hpp"

namespace trellis {

// A stream that reads given bytes and then ends; written bytes are kept.
class MemoryStream : public Stream {
  public:
    explicit MemoryStream(std::vector<std::byte> bytes = {}) : bytes_(std::move(bytes)) {}

    asio::awaitable<void> read(std::span<const asio::mutable_buffer> buffers) override {
        for (const asio::mutable_buffer& buffer : buffers) {
            if (buffer.size() > bytes_.size() - read_) throw asio::system_error(asio::error::eof);
            if (buffer.size() > 0) std::memcpy(buffer.data(), bytes_.data() + read_, buffer.size());
            read_ += buffer.size();
        }
        co_return;
    }
    asio::awaitable<void> write(std::span<const asio::const_buffer> buffers) override {
        for (const asio::const_buffer& buffer : buffers) {
            const auto* first = static_cast<const std::byte*>(buffer.data());
            written.insert(written.end(), first, first + buffer.size());
        }
        co_return;
    }
    void close() override {}
    const std::string& peer() const override { return peer_; }

    std::vector<std::byte> written;

  private:
    std::vector<std::byte> bytes_;
    std::size_t read_ = 0;
    std::string peer_ = "memory";
};

template <class T>
T carried_out(asio::io_context& io, asio::awaitable<T> coroutine) {
    auto result = result_of(io.get_executor(), std::move(coroutine));
    io.restart();
    io.run();
    return result.get();
}

inline std::vector<std::byte> encoded_hello(const SiteHello& hello) {
    asio::io_context io;
    MemoryStream stream;
    carried_out(io, send_site_hello(stream, hello));
    return stream.written;
}

class RawSite {
  public:
    RawSite(const Address& address, const std::string& name, const std::filesystem::path& keys) {
        const TlsPeer peer{address, name, keys};
        stream_ = carried_out(*io_, connect_tls(peer));
    }

    SiteWelcome handshake(const SiteHello& hello) {
        carried_out(*io_, send_site_hello(*stream_, hello));
        return carried_out(*io_, receive_site_welcome(*stream_));
    }
    // Sends bytes, if the connection is still open.
    void send(const std::vector<std::byte>& bytes) {
        try {
            const std::vector<asio::const_buffer> buffers{asio::buffer(bytes)};
            carried_out(*io_, stream_->write(std::span<const asio::const_buffer>(buffers)));
        } catch (const asio::system_error&) {
        }
    }

  private:
    std::unique_ptr<asio::io_context> io_ = std::make_unique<asio::io_context>();
    std::shared_ptr<Stream> stream_;
};

}  // namespace trellis
