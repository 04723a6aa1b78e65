// A client's connection to a server: one for up to 64 devices that the client has opened there. It is made again if it
// breaks.
#pragma once

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
    // Where the bytes of a download go. Throws TransportError if none was asked for.
    virtual std::span<std::byte> place_for(const wire::Downloaded& answer) = 0;
    // The bytes of Downloaded are there.
    virtual void answered(const wire::Answer& answer) = 0;
    // The connection is lost for good. Nothing that was sent is touched any more.
    virtual void lost(const std::string& why) = 0;
};

class ServerConnection : public SessionUser,
                         public MessageSender,
                         public NetworkUser,
                         public std::enable_shared_from_this<ServerConnection> {
  public:
    // Connects, or returns a connection of the same time of grace that there is and has room for one more device.
    // Whoever calls it adds one device. Throws as open_remote_device.
    static std::shared_ptr<ServerConnection> to(const Address& address, std::chrono::milliseconds grace);
    ~ServerConnection() override;

    // A number for a new device, whose answers go to the receiver.
    std::uint32_t add(std::weak_ptr<AnswerReceiver> receiver);
    void remove(std::uint32_t device);
    // Sends a frame, after those sent before, as MessageBatch has it. May be called by any thread, as the next.
    void send(Frame frame);
    // What has been gathered leaves now.
    void send_gathered() override;

    // Somebody waits for an answer: what has been gathered leaves, and from now on the server is asked every 250 ms
    // whether it is still there. Any thread.
    void begin_wait() {
        send_gathered();
        ++waiting_;
    }
    void end_wait() { --waiting_; }

    Place place_for(const FrameHeader& header, std::vector<std::byte> body) override;
    void taken(const FrameHeader& header) override;
    void lost(const std::string& why, bool broken_rules) override;
    void network_ends(std::shared_ptr<void> busy) override;

  private:
    ServerConnection(Address address, std::chrono::milliseconds grace) : address_(std::move(address)), grace_(grace) {}

    asio::awaitable<void> open();
    asio::awaitable<void> handshake(std::shared_ptr<Stream> stream, std::chrono::milliseconds time);
    asio::awaitable<void> reconnect(std::string why);
    static asio::awaitable<void> watch(std::weak_ptr<ServerConnection> weak);
    void ask(Session::Clock::time_point now);
    void take_gathered();
    void give_up(const std::string& why);
    std::shared_ptr<AnswerReceiver> receiver_of(std::uint32_t device);

    const Address address_;
    const std::chrono::milliseconds grace_;
    std::atomic<int> waiting_ = 0;
    std::atomic<bool> dead_ = false;
    std::atomic<std::size_t> devices_ = 1;  // that have been added and not removed, or are about to be added
    std::mutex sending_;                    // of the next two
    std::vector<Frame> gathered_;           // in memory that is used again, as that of the next ones
    bool leaving_ = false;                  // the network's thread has been told to take them
    std::mutex mutex_;                      // of the receivers
    std::map<std::uint32_t, std::weak_ptr<AnswerReceiver>> receivers_;
    std::uint32_t last_device_ = 0;
    std::string why_lost_;

    // the network's thread alone
    std::shared_ptr<Session> session_;
    SessionKey key_{};
    std::vector<Frame> leaving_frames_;
    std::vector<wire::Answer> answers_;  // of the frame whose data come
    std::vector<asio::mutable_buffer> places_;
    std::vector<std::byte> dropped_;
    Session::Clock::time_point asked_{};  // the first question that has not been answered
    bool asking_ = false;
};

}  // namespace trellis
