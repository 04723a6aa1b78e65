#include "trellis/transport/sessions/handshake.hpp"

#include <openssl/rand.h>

#include <algorithm>
#include <utility>

namespace trellis {

std::string_view library_version() { return TRELLIS_VERSION; }

void put_text(ByteWriter& writer, std::string_view text) { writer.put_counted(std::span(text.data(), text.size())); }

std::string get_text(ByteReader& reader) {
    const std::vector<char> characters = reader.get_counted<char>();
    return {characters.begin(), characters.end()};
}

namespace {

// Reads a text for the log: at most 64 printable characters.
std::string get_printable(ByteReader& reader) {
    std::string text = get_text(reader).substr(0, 64);
    std::ranges::replace_if(text, [](char c) { return c < ' ' || c > '~'; }, '?');
    return text;
}

}  // namespace

asio::awaitable<void> send_handshake(Stream& stream, FrameType type, std::vector<std::byte> body, std::uint16_t flags) {
    FrameHeader header;
    header.type = type;
    header.flags = flags;
    header.body_bytes = static_cast<std::uint32_t>(body.size());
    const EncodedHeader encoded = encode(header);
    const std::array<asio::const_buffer, 2> buffers{asio::buffer(encoded), asio::buffer(body)};
    co_await stream.write(std::span<const asio::const_buffer>(buffers));
}

asio::awaitable<Handshake> receive_handshake(Stream& stream) {
    EncodedHeader encoded;
    co_await stream.read(std::span(encoded));
    const FrameHeader header = decode(encoded, limits_before_welcome);
    std::vector<std::byte> body(header.body_bytes);
    if (!body.empty()) co_await stream.read(std::span(body));
    co_return Handshake{header.type, std::move(body), header.flags};
}

SessionKey random_session_key() {
    SessionKey key{};
    if (RAND_bytes(reinterpret_cast<unsigned char*>(key.data()), static_cast<int>(key.size())) != 1)
        throw TransportError("OpenSSL cannot make random numbers");
    return key;
}

asio::awaitable<void> send_hello(Stream& stream, const Hello& hello) {
    ByteWriter body;
    put_text(body, library_version());
    put_text(body, hello.who);
    body.put(hello.session);
    body.put(hello.received);
    body.put(static_cast<std::int64_t>(hello.grace.count()));
    co_await send_handshake(stream, FrameType::hello, body.take());
}

asio::awaitable<Hello> receive_hello(Stream& stream) {
    const auto [type, bytes, flags] = co_await receive_handshake(stream);
    if (type != FrameType::hello) throw TransportError("the first frame is not a hello");
    ByteReader body(bytes);
    Hello hello;
    const std::string version = get_printable(body);
    if (version != library_version()) {
        const std::string sentence = "the server has Trellis " + std::string(library_version()) + ", the client " +
                                     version + ": both need the same version";
        co_await send_refusal(stream, sentence);
        throw TransportError(sentence);
    }
    hello.who = get_printable(body);
    hello.session = body.get<SessionKey>();
    hello.received = body.get<std::uint64_t>();
    hello.grace = std::chrono::milliseconds(body.get<std::int64_t>());
    co_return hello;
}

asio::awaitable<void> send_welcome(Stream& stream, const Welcome& welcome) {
    ByteWriter body;
    body.put(welcome.session);
    body.put(welcome.received);
    co_await send_handshake(stream, FrameType::welcome, body.take());
}

asio::awaitable<void> send_refusal(Stream& stream, const std::string& reason, bool may_pass) {
    ByteWriter body;
    put_text(body, reason);
    co_await send_handshake(stream, FrameType::refusal, body.take(), may_pass ? refusal_may_pass : 0);
}

asio::awaitable<Welcome> receive_welcome(Stream& stream) {
    const auto [type, bytes, flags] = co_await receive_handshake(stream);
    ByteReader body(bytes);
    if (type == FrameType::refusal) {
        const std::string refusal = stream.peer() + " refuses: " + get_text(body);
        if ((flags & refusal_may_pass) != 0) throw ServerBusy(refusal);
        throw InputError(refusal);
    }
    if (type != FrameType::welcome) throw TransportError(stream.peer() + " does not answer a hello");
    Welcome welcome;
    welcome.session = body.get<SessionKey>();
    welcome.received = body.get<std::uint64_t>();
    co_return welcome;
}

}  // namespace trellis
