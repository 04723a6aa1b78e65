// The first frames of a connection: what client and server say of themselves before anything else.
#pragma once

#include <array>
#include <asio/awaitable.hpp>
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "trellis/packing/bytes.hpp"
#include "trellis/transport/sessions/frame.hpp"
#include "trellis/transport/streams/stream.hpp"

namespace trellis {

// A secret number by which a client goes on with its session over a new connection; zero: a new session.
using SessionKey = std::array<std::byte, 16>;
SessionKey random_session_key();

struct Hello {
    std::string who;  // user and host, for the server's log
    SessionKey session{};
    std::uint64_t received = 0;
    std::chrono::milliseconds grace{};  // how long the server keeps the session of a connection that broke
};

struct Welcome {
    SessionKey session{};
    std::uint64_t received = 0;
};

asio::awaitable<void> send_hello(Stream& stream, const Hello& hello);
// Throws TransportError if this is no hello, or one of another version of Trellis, which may lay out the constants of
// kernels otherwise; that is answered with a sentence.
asio::awaitable<Hello> receive_hello(Stream& stream);

asio::awaitable<void> send_welcome(Stream& stream, const Welcome& welcome);
asio::awaitable<void> send_refusal(Stream& stream, const std::string& sentence);
// Throws InputError with the sentence of a refusal.
asio::awaitable<Welcome> receive_welcome(Stream& stream);

// What handshakes of all kinds are made of: frames of at most limits_before_welcome, and texts in their bodies.
using Handshake = std::pair<FrameType, std::vector<std::byte>>;
asio::awaitable<void> send_handshake(Stream& stream, FrameType type, std::vector<std::byte> body);
asio::awaitable<Handshake> receive_handshake(Stream& stream);
void put_text(ByteWriter& writer, std::string_view text);
std::string get_text(ByteReader& reader);
std::string_view library_version();

}  // namespace trellis
