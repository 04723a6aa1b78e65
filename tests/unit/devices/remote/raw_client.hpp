// A client that speaks frame by frame, and may break every rule.
#pragma once

#include <asio/co_spawn.hpp>
#include <asio/io_context.hpp>
#include <asio/local/stream_protocol.hpp>
#include <asio/read.hpp>
#include <asio/use_future.hpp>
#include <asio/write.hpp>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "trellis/devices/remote/calls.hpp"
#include "trellis/transport/greeting.hpp"
#include "trellis/transport/streams/socket_stream.hpp"

namespace trellis {

inline std::vector<std::byte> body_of(std::initializer_list<wire::Call> calls) {
    ByteWriter body;
    for (const wire::Call& call : calls) wire::put(body, call);
    return body.take();
}

// A frame whose lengths are right.
inline std::vector<std::byte> encoded(FrameHeader header, const std::vector<std::byte>& body,
                                      const std::vector<std::byte>& data = {}) {
    header.body_bytes = static_cast<std::uint32_t>(body.size());
    header.data_bytes = data.size();
    const EncodedHeader first = encode(header);
    std::vector<std::byte> bytes(first.begin(), first.end());
    bytes.insert(bytes.end(), body.begin(), body.end());
    bytes.insert(bytes.end(), data.begin(), data.end());
    return bytes;
}

class RawClient {
  public:
    using Local = asio::local::stream_protocol;
    struct Received {
        FrameHeader header;
        std::vector<std::byte> body, data;
    };

    explicit RawClient(const std::string& path) {
        Local::socket socket(io_);
        socket.connect(path);
        stream_ = std::make_shared<SocketStream<Local::socket>>(std::move(socket), path);
    }

    // Says hello and returns the answer, for a new session or one that goes on.
    Welcome greet(const SessionKey& session = {}, std::uint64_t received = 0) {
        const Hello hello{"raw", session, received, std::chrono::milliseconds(grace)};
        carry_out(send_hello(*stream_, hello));
        return carry_out(receive_welcome(*stream_));
    }
    // Calls of device 1.
    void send(std::uint64_t request, const std::vector<std::byte>& body, const std::vector<std::byte>& data = {}) {
        FrameHeader header;
        header.type = FrameType::calls;
        header.device = 1;
        header.request = request;
        write(encoded(header, body, data));
    }
    // Asks the server what it has received, and returns that.
    std::uint64_t received_by_server() {
        FrameHeader header;
        header.flags = beat_wants_answer;
        write(encoded(header, {}));
        while (true)
            if (const Received next = receive(); next.header.type == FrameType::beat) return next.header.received;
    }
    Received receive() {
        EncodedHeader first;
        asio::read(socket(), asio::buffer(first));
        Received frame{decode(first, limits_of_session), {}, {}};
        frame.body.resize(frame.header.body_bytes);
        frame.data.resize(frame.header.data_bytes);
        asio::read(socket(), asio::buffer(frame.body));
        asio::read(socket(), asio::buffer(frame.data));
        return frame;
    }
    // Returns false if the server has closed the connection.
    bool write(const std::vector<std::byte>& bytes) {
        asio::error_code failure;
        asio::write(socket(), asio::buffer(bytes), failure);
        return !failure;
    }
    // Says no more, and returns when the server has closed the connection.
    void drain() {
        asio::error_code ended;
        static_cast<void>(socket().shutdown(Local::socket::shutdown_send, ended));
        std::vector<std::byte> dropped(1 << 16);
        for (ended.clear(); !ended;) socket().read_some(asio::buffer(dropped), ended);
    }

    int grace = 1000;  // milliseconds for which the server keeps the session

  private:
    template <class T>
    T carry_out(asio::awaitable<T> coroutine) {
        auto result = asio::co_spawn(io_, std::move(coroutine), asio::use_future);
        io_.restart();
        io_.run();
        return result.get();
    }
    Local::socket& socket() { return stream_->socket(); }

    asio::io_context io_;
    std::shared_ptr<SocketStream<Local::socket>> stream_;
};

}  // namespace trellis
