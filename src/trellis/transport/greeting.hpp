// The first frames of a connection: what client and server say of themselves before anything else.
#pragma once

#include <array>
#include <asio/awaitable.hpp>
#include <chrono>
#include <cstdint>
#include <string>

#include "trellis/transport/frame.hpp"
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

}  // namespace trellis
