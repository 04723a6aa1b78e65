// A session: frames in both directions, in order, each delivered exactly once, over connections that may break and be
// opened again. Frames are kept until the peer has acknowledged them, and sent again over the next connection if it has
// not.
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
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "trellis/transport/sessions/frame.hpp"
#include "trellis/transport/streams/stream.hpp"

namespace trellis {

// Interface of the owner of a session, which receives its frames.
class SessionUser {
  public:
    virtual ~SessionUser() = default;
    // Memory for the data of a frame.
    struct Destination {
        std::span<const asio::mutable_buffer> buffers;
        std::shared_ptr<const void> owner;  // of `buffers` and their memory
    };

    // Returns the memory for a frame's data. If the connection breaks before all of them have arrived, the frame is
    // sent again: so this call changes no other state. Throws TransportError if the peer broke the rules.
    virtual Destination destination_of(const FrameHeader& header, std::vector<std::byte> body) = 0;
    // The data of that frame have arrived.
    virtual void taken(const FrameHeader& header) = 0;
    // The peer has acknowledged more frames.
    virtual void acknowledged() {}
    // The connection has ended. broken_rules: since the peer broke the rules.
    virtual void lost(const std::string& why, bool broken_rules) = 0;
};

// All functions are called by the thread that runs the executor.
class Session : public std::enable_shared_from_this<Session> {
  public:
    using Clock = std::chrono::steady_clock;

    Session(asio::any_io_executor executor, std::weak_ptr<SessionUser> user);

    // Continues over this connection, whose peer has received the frames up to number received_by_peer.
    void attach(std::shared_ptr<Stream> stream, std::uint64_t received_by_peer);
    // Closes the connection; unacknowledged frames are kept.
    void detach();
    // Ends the session: memory of frames to send is not read any more.
    void end();
    // Sends a close notice after all frames, ends the session, then calls back.
    void send_close(std::function<void()> closed);

    // The body has at most limits_of_session.body_bytes, the data largest_data bytes.
    void send(Frame frame);
    // Sends a heartbeat, which acknowledges what has arrived.
    void heartbeat(bool wants_answer);
    // `bytes` bytes of received bodies and data are processed: the peer may send as many more.
    void consume(std::uint64_t bytes);

    bool attached() const { return stream_ != nullptr; }
    std::uint64_t received() const { return received_; }
    // The time since a frame last arrived, or the present connection was opened.
    Clock::duration silence() const { return Clock::now() - last_received_; }
    // The time for which the peer has been asked, over any connection, and has not acknowledged the frames sent before;
    // 0: it has.
    Clock::duration unanswered() const { return asked_ ? Clock::now() - *asked_ : Clock::duration::zero(); }

    static constexpr std::uint64_t largest_data = limits_of_session.data_bytes;
    // The most bytes that are in flight, or received by the peer and not processed yet.
    static constexpr std::uint64_t credit = 64 << 20;

  private:
    struct Outgoing {
        Frame frame;
        EncodedHeader header;
        std::uint64_t end;  // bytes of bodies and data up to the end of this frame, since the session began
    };

    asio::awaitable<void> read_frames(std::shared_ptr<Stream> stream);
    asio::awaitable<void> read_frame(Stream& stream);
    asio::awaitable<void> write_frames(std::shared_ptr<Stream> stream);
    std::uint64_t collect(std::vector<asio::const_buffer>& buffers);
    void put_heartbeat(std::vector<asio::const_buffer>& buffers);
    FrameHeader with_numbers(FrameHeader header) const;
    void acknowledge(const FrameHeader& header, SessionUser& user);
    void drop_acknowledged();
    void broken(const Stream* stream, const std::string& why, bool broken_rules);

    const asio::any_io_executor executor_;
    const std::weak_ptr<SessionUser> user_;
    std::shared_ptr<Stream> stream_;
    asio::steady_timer wake_;  // cancelled when there is something to write

    std::deque<Outgoing> outbox_;       // unacknowledged frames
    std::uint64_t last_request_ = 0;    // number of the last frame of outbox_
    std::uint64_t written_ = 0;         // the last request that this connection has written completely
    std::uint64_t bytes_sent_ = 0;      // bodies and data of all frames up to last_request_
    std::uint64_t peer_received_ = 0;   // requests
    std::uint64_t peer_consumed_ = 0;   // bytes
    std::uint64_t received_ = 0;        // requests
    std::uint64_t bytes_received_ = 0;  // bodies and data
    std::uint64_t consumed_ = 0;        // bytes
    std::uint64_t reported_received_ = 0, reported_consumed_ = 0;
    bool heartbeat_due_ = false, answer_wanted_ = false;
    std::function<void()> closed_;  // called when the close notice has been sent
    EncodedHeader heartbeat_header_{};
    Clock::time_point last_received_ = Clock::now();
    std::optional<Clock::time_point> asked_;  // and not answered
};

}  // namespace trellis
