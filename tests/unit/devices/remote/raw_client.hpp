// A client that sends single frames, and may break every rule.
#pragma once

#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <asio/io_context.hpp>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "trellis/devices/remote/client/calls.hpp"
#include "trellis/transport/connections/connect.hpp"
#include "trellis/transport/sessions/handshake.hpp"
#include "unit/transport/coroutine_result.hpp"

namespace trellis {

inline std::vector<std::byte> body_of(std::initializer_list<wire::Call> calls) {
    ByteWriter body;
    for (const wire::Call& call : calls) wire::put(body, call);
    return body.take();
}

// A frame with the correct lengths.
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
    struct Received {
        FrameHeader header;
        std::vector<std::byte> body, data;
    };

    // server: unix:PATH or trellis://HOST.
    explicit RawClient(const std::string& server) : stream_(carry_out(connect(parse_address(server)))) {}

    // Completes the handshake, for a new session or one to resume.
    Welcome handshake(const SessionKey& session = {}, std::uint64_t received = 0) {
        begin_handshake(session, received);
        return await_welcome();
    }
    void begin_handshake(const SessionKey& session = {}, std::uint64_t received = 0) {
        const Hello hello{"raw", session, received, std::chrono::milliseconds(grace)};
        carry_out(send_hello(*stream_, hello));
    }
    Welcome await_welcome() { return carry_out(receive_welcome(*stream_)); }
    // Sends calls to device 1.
    void send(std::uint64_t request, const std::vector<std::byte>& body, const std::vector<std::byte>& data = {}) {
        FrameHeader header;
        header.type = FrameType::calls;
        header.device = 1;
        header.request = request;
        write(encoded(header, body, data));
    }
    // Asks the server for the last request that it has received.
    std::uint64_t received_by_server() {
        FrameHeader header;
        header.flags = heartbeat_wants_answer;
        write(encoded(header, {}));
        while (true)
            if (const Received next = receive(); next.header.type == FrameType::heartbeat) return next.header.received;
    }
    Received receive() {
        EncodedHeader first;
        carry_out(stream_->read(std::span(first)));
        Received frame{decode(first, limits_of_session), {}, {}};
        frame.body.resize(frame.header.body_bytes);
        frame.data.resize(frame.header.data_bytes);
        for (auto* part : {&frame.body, &frame.data})
            if (!part->empty()) carry_out(stream_->read(std::span(*part)));
        return frame;
    }
    // Returns false if the server has closed the connection.
    bool write(const std::vector<std::byte>& bytes) {
        const std::array<asio::const_buffer, 1> all{asio::const_buffer(bytes.data(), bytes.size())};
        try {
            carry_out(stream_->write(all));
            return true;
        } catch (const asio::system_error&) {
            return false;
        }
    }
    // Closes the sending side, and returns when the server has closed the connection.
    void drain() { drain(stream_->handle()); }
    static void drain(int socket) {
        shutdown(socket, SHUT_WR);
        std::vector<std::byte> dropped(1 << 16);
        pollfd waits{socket, POLLIN, 0};
        while (poll(&waits, 1, -1) == 1 && recv(socket, dropped.data(), dropped.size(), 0) > 0) continue;
    }

    int grace = 1000;  // milliseconds for which the server keeps the session

  private:
    template <class T>
    T carry_out(asio::awaitable<T> coroutine) {
        auto result = result_of(io_.get_executor(), std::move(coroutine));
        io_.restart();
        io_.run();
        return result.get();
    }

    asio::io_context io_;
    std::shared_ptr<Stream> stream_;
};

}  // namespace trellis
