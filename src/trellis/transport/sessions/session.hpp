// A session: frames in both directions, in order, each taken exactly once, over connections that may break and be made
// again. What has been sent is kept until the peer has it; after a new connection the rest is sent again.
#pragma once

#include <asio/any_io_executor.hpp>
#include <asio/awaitable.hpp>
#include <asio/buffer.hpp>
#include <asio/steady_timer.hpp>
#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "trellis/transport/sessions/frame.hpp"
#include "trellis/transport/streams/stream.hpp"

namespace trellis {

// What a session's frames are for.
class SessionUser {
  public:
    virtual ~SessionUser() = default;
    // Where the data of a frame go.
    struct Place {
        std::span<const asio::mutable_buffer> buffers;
        std::shared_ptr<const void> owner;  // of what they and their bytes need
    };

    // A frame has come, but for its data. If the connection breaks before they are there the frame will come again, so
    // nothing else may have changed by then. TransportError: the peer broke the rules.
    virtual Place place_for(const FrameHeader& header, std::vector<std::byte> body) = 0;
    // The data of that frame are there.
    virtual void taken(const FrameHeader& header) = 0;
    // The peer has received more of what was sent.
    virtual void acknowledged() {}
    // The connection has ended. broken_rules: by the peer's fault.
    virtual void lost(const std::string& why, bool broken_rules) = 0;
};

// All functions are called by the one thread that runs the executor.
class Session : public std::enable_shared_from_this<Session> {
  public:
    using Clock = std::chrono::steady_clock;

    Session(asio::any_io_executor executor, std::weak_ptr<SessionUser> user);

    // Goes on over this connection; its peer has received so many frames.
    void attach(std::shared_ptr<Stream> stream, std::uint64_t received_by_peer);
    // Ends the connection; what has been sent is kept.
    void detach();
    // Ends the session: nothing that was given to send is touched any more.
    void end();
    // Ends the session once everything has been sent, and tells the peer; then calls back.
    void send_close(std::function<void()> said);

    // The body has at most limits_of_session.body_bytes, the data largest_data bytes.
    void send(Frame frame);
    // Tells the peer that this side is there, and what it has received.
    void heartbeat(bool wants_answer);
    // So many bytes of body and data that came are needed no longer: the peer may send as many more.
    void consume(std::uint64_t bytes);

    bool attached() const { return stream_ != nullptr; }
    std::uint64_t received() const { return received_; }
    // Since the peer was last heard of.
    Clock::duration silence() const { return Clock::now() - heard_; }

    static constexpr std::uint64_t largest_data = limits_of_session.data_bytes;
    // Bytes that may be on their way, or at the peer and still needed there.
    static constexpr std::uint64_t credit = 64 << 20;

  private:
    struct Outgoing {
        Frame frame;
        EncodedHeader header;
        std::uint64_t end;  // bytes of bodies and data up to here, since the session began
    };

    asio::awaitable<void> read_frames(std::shared_ptr<Stream> stream);
    asio::awaitable<void> read_frame(Stream& stream);
    asio::awaitable<void> write_frames(std::shared_ptr<Stream> stream);
    std::uint64_t collect(std::vector<asio::const_buffer>& buffers);
    void put_heartbeat(std::vector<asio::const_buffer>& buffers);
    FrameHeader with_numbers(FrameHeader header) const;
    void note(const FrameHeader& header, SessionUser& user);
    void forget_received();
    void broken(const Stream* stream, const std::string& why, bool broken_rules);

    const asio::any_io_executor executor_;
    const std::weak_ptr<SessionUser> user_;
    std::shared_ptr<Stream> stream_;
    asio::steady_timer wake_;  // cancelled when there is something to write

    std::deque<Outgoing> outbox_;       // given to send, and perhaps not received
    std::uint64_t last_request_ = 0;    // of those
    std::uint64_t written_ = 0;         // the last request that this connection has written completely
    std::uint64_t bytes_sent_ = 0;      // of bodies and data, given to send
    std::uint64_t peer_received_ = 0;   // requests
    std::uint64_t peer_consumed_ = 0;   // bytes
    std::uint64_t received_ = 0;        // requests
    std::uint64_t bytes_received_ = 0;  // of bodies and data
    std::uint64_t consumed_ = 0;        // bytes
    std::uint64_t reported_received_ = 0, reported_consumed_ = 0;
    bool heartbeat_due_ = false, answer_wanted_ = false;
    std::function<void()> said_;  // called when a close_notice has been said
    EncodedHeader heartbeat_header_{};
    Clock::time_point heard_ = Clock::now();
};

}  // namespace trellis
