// A client's connection to a server, for up to 64 devices that the client has opened there. It reconnects if the
// connection breaks.
#pragma once

#include <unistd.h>

#include <asio/awaitable.hpp>
#include <asio/steady_timer.hpp>
#include <atomic>
#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "trellis/devices/message_batch.hpp"
#include "trellis/devices/remote/client/calls.hpp"
#include "trellis/transport/addresses/address.hpp"
#include "trellis/transport/sessions/handshake.hpp"
#include "trellis/transport/sessions/session.hpp"
#include "trellis/transport/streams/network_thread.hpp"

namespace trellis {

// The receiver of the answers to one device. Its functions are called by the network's thread.
class AnswerReceiver {
  public:
    virtual ~AnswerReceiver() = default;
    // The memory for the bytes of a download. Throws TransportError if it was not requested.
    virtual std::span<std::byte> destination_of(const wire::Downloaded& answer) = 0;
    // An answer has arrived, with the bytes of a download.
    virtual void answered(const wire::Answer& answer) = 0;
    // The connection is lost permanently. Memory of calls is not read any more.
    virtual void lost(const std::string& why) = 0;
};

class ServerConnection : public SessionUser,
                         public MessageSender,
                         public NetworkUser,
                         public std::enable_shared_from_this<ServerConnection> {
  public:
    // Connects, or returns an open connection of this process and of the same grace with room for one more device,
    // which the caller then adds. Throws the errors of open_remote_device.
    static std::shared_ptr<ServerConnection> to(const Address& address, std::chrono::milliseconds grace);
    ~ServerConnection() override;

    // Returns a number for a new device, whose answers go to `receiver`.
    std::uint32_t add(std::weak_ptr<AnswerReceiver> receiver);
    void remove(std::uint32_t device);
    // Sends a frame, in order, together with others of a MessageBatch. Called by any thread, as the next functions.
    void send(Frame frame);
    // Sends the gathered frames now.
    void send_gathered() override;

    // A thread begins to wait for an answer: sends the gathered frames, and requests a heartbeat of the server every
    // 250 ms until end_wait.
    void begin_wait() {
        send_gathered();
        ++waiting_;
    }
    void end_wait() { --waiting_; }

    Destination destination_of(const FrameHeader& header, std::vector<std::byte> body) override;
    void taken(const FrameHeader& header) override;
    void lost(const std::string& why, bool broken_rules) override;
    void network_ends(std::shared_ptr<void> busy) override;

  private:
    ServerConnection(Address address, std::chrono::milliseconds grace) : address_(std::move(address)), grace_(grace) {}

    asio::awaitable<void> open();
    asio::awaitable<void> handshake(std::shared_ptr<Stream> stream, std::chrono::milliseconds time);
    [[noreturn]] void throw_no_welcome(const asio::error_code& error) const;
    asio::awaitable<void> reconnect(std::string why);
    static asio::awaitable<void> watch(std::weak_ptr<ServerConnection> weak);
    void ask(Session::Clock::time_point now);
    void take_gathered();
    void give_up(const std::string& why);
    std::shared_ptr<AnswerReceiver> receiver_of(std::uint32_t device);
    // True in a process that was forked from the one with the connection: its thread and session are not here.
    [[nodiscard]] bool is_of_parent() const { return process_ != getpid(); }

    const pid_t process_ = getpid();
    const Address address_;
    const std::chrono::milliseconds grace_;
    std::atomic<int> waiting_ = 0;
    std::atomic<bool> dead_ = false;
    std::atomic<std::size_t> devices_ = 1;  // added and not removed, or about to be added
    std::mutex sending_;                    // guards the next two
    std::vector<Frame> gathered_;           // frames to send; the vectors keep their memory
    bool leaving_ = false;                  // the network's thread will take them
    std::mutex mutex_;                      // guards the receivers
    std::map<std::uint32_t, std::weak_ptr<AnswerReceiver>> receivers_;
    std::uint32_t last_device_ = 0;
    std::string why_lost_;

    // the network's thread alone
    std::shared_ptr<Session> session_;
    SessionKey key_{};
    std::vector<Frame> leaving_frames_;
    std::vector<wire::Answer> answers_;  // in the frame whose data are arriving
    std::vector<asio::mutable_buffer> destinations_;
    std::vector<std::byte> dropped_;
    Session::Clock::time_point asked_{};  // time of the first heartbeat that has not been answered
    bool asking_ = false;                 // an answer to a heartbeat is expected
};

}  // namespace trellis
