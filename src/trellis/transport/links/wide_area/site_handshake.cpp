#include "trellis/transport/links/wide_area/site_handshake.hpp"

#include <utility>

namespace trellis {

namespace {

constexpr std::string_view word = "site";  // a client of devices sends its version first

}  // namespace

asio::awaitable<void> send_site_hello(Stream& stream, const SiteHello& hello) {
    ByteWriter writer;
    put_text(writer, word);
    put_text(writer, library_version());
    put_text(writer, hello.ring);
    writer.put(hello.from);
    writer.put(hello.to);
    writer.put(hello.instance);
    writer.put(hello.peer);
    writer.put(hello.received);
    writer.put(hello.granted);
    std::vector<std::byte> body = writer.take();
    if (body.size() > limits_before_welcome.body_bytes) throw InputError("the names of the sites are too long");
    co_await send_handshake(stream, FrameType::hello, std::move(body));
}

asio::awaitable<SiteHello> receive_site_hello(Stream& stream) {
    const auto [type, bytes, flags] = co_await receive_handshake(stream);
    ByteReader body(bytes);
    if (type != FrameType::hello || get_text(body) != word)
        throw TransportError("the first frame is not the hello of a site");
    const std::string version = get_text(body);
    if (version != library_version()) {
        const std::string sentence =
            "it has Trellis " + std::string(library_version()) + ", and all sites need the same version";
        co_await send_refusal(stream, sentence);
        throw TransportError("the other site has another version of Trellis");
    }
    SiteHello hello;
    hello.ring = get_text(body);
    hello.from = body.get<std::uint32_t>();
    hello.to = body.get<std::uint32_t>();
    hello.instance = body.get<SessionKey>();
    hello.peer = body.get<SessionKey>();
    hello.received = body.get<std::uint64_t>();
    hello.granted = body.get<std::uint64_t>();
    co_return hello;
}

asio::awaitable<void> send_site_welcome(Stream& stream, const SiteWelcome& welcome) {
    ByteWriter writer;
    writer.put(welcome.instance);
    writer.put(welcome.received);
    writer.put(welcome.granted);
    std::vector<std::byte> body = writer.take();
    co_await send_handshake(stream, FrameType::welcome, std::move(body));
}

asio::awaitable<SiteWelcome> receive_site_welcome(Stream& stream) {
    const auto [type, bytes, flags] = co_await receive_handshake(stream);
    ByteReader body(bytes);
    if (type == FrameType::refusal) throw InputError(get_text(body));
    if (type != FrameType::welcome) throw TransportError(stream.peer() + " does not answer a hello");
    SiteWelcome welcome;
    welcome.instance = body.get<SessionKey>();
    welcome.received = body.get<std::uint64_t>();
    welcome.granted = body.get<std::uint64_t>();
    co_return welcome;
}

}  // namespace trellis
