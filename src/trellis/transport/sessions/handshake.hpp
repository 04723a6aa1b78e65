// Handshake of a client and a server: the first frame of each on a new connection.
#pragma once

#include <array>
#include <asio/awaitable.hpp>
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "trellis/packing/bytes.hpp"
#include "trellis/transport/sessions/frame.hpp"
#include "trellis/transport/streams/stream.hpp"

namespace trellis {

// Secret number with which a client resumes its session over a new connection; zero: a new session.
using SessionKey = std::array<std::byte, 16>;
SessionKey random_session_key();

struct Hello {
    std::string who;  // user@host, for the server's log
    SessionKey session{};
    std::uint64_t received = 0;
    std::chrono::milliseconds grace{};  // how long the server keeps the session once the connection has broken
};

struct Welcome {
    SessionKey session{};
    std::uint64_t received = 0;
};

asio::awaitable<void> send_hello(Stream& stream, const Hello& hello);
// Throws TransportError if the first frame is not a hello. A client with another version of Trellis, whose kernels may
// have other constants, is refused, which throws as well.
asio::awaitable<Hello> receive_hello(Stream& stream);

asio::awaitable<void> send_welcome(Stream& stream, const Welcome& welcome);
// may_pass: the client may try again.
asio::awaitable<void> send_refusal(Stream& stream, const std::string& reason, bool may_pass = false);
// Throws InputError with the reason of a refusal, or ServerBusy if that may pass.
asio::awaitable<Welcome> receive_welcome(Stream& stream);

// Parts of every handshake: frames of at most limits_before_welcome, and texts in their bodies.
struct Handshake {
    FrameType type;
    std::vector<std::byte> body;
    std::uint16_t flags;
};
asio::awaitable<void> send_handshake(Stream& stream, FrameType type, std::vector<std::byte> body,
                                     std::uint16_t flags = 0);
asio::awaitable<Handshake> receive_handshake(Stream& stream);
void put_text(ByteWriter& writer, std::string_view text);
std::string get_text(ByteReader& reader);
std::string_view library_version();

}  // namespace trellis
