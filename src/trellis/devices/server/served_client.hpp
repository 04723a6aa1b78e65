// A client of a server: its session and the devices that it has opened.
#pragma once

#include <chrono>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "trellis/devices/server/lent_devices.hpp"
#include "trellis/devices/server/served_device.hpp"
#include "trellis/transport/sessions/handshake.hpp"
#include "trellis/transport/sessions/session.hpp"

namespace trellis {

class ServedClient : public SessionUser, public std::enable_shared_from_this<ServedClient> {
  public:
    // Facts about a client.
    struct Facts {
        std::uint64_t number;  // of the session, for the log: 1, 2, ...
        SessionKey key;
        std::string who, fingerprint;
        std::chrono::milliseconds grace;  // the longest time without a connection before the session ends
    };
    // Services of the server for its clients.
    struct Server {
        ServedDevice::Executor executor;
        LentDevices& devices;
        std::shared_ptr<UnreadAnswers> unread_answers;  // of all clients
        ServedDevice::Discard discard;
        // The session has ended (for_good), or its connection broke and the client may reconnect.
        std::function<void(ServedClient&, const std::string& why, bool for_good)> lost;
        // The client has opened a device, or returned it.
        std::function<void(const Facts&, const std::string& device, std::uint64_t memory, bool opened)> leased;
    };

    ServedClient(Server server, Facts facts);
    // Continues over this connection. Called once a shared_ptr owns the object.
    void attach(std::shared_ptr<Stream> stream, std::uint64_t received_by_client);
    // Ends the session and returns its devices.
    void end();

    const Facts& facts() const { return facts_; }
    Session& session() { return *session_; }

    Destination destination_of(const FrameHeader& header, std::vector<std::byte> body) override;
    void taken(const FrameHeader& header) override;
    void acknowledged() override { carry_out_waiting(); }
    void lost(const std::string& why, bool broken_rules) override;

  private:
    struct Lease {
        std::string name;
        std::uint64_t memory;
        std::shared_ptr<ServedDevice> device;
    };
    // A frame with calls that have not been carried out yet.
    struct Waiting {
        std::uint32_t device;
        std::shared_ptr<ReceivedFrame> frame;
        std::size_t body_read = 0, data_read = 0;
    };

    void carry_out_waiting();
    void resume();
    bool carry_out(Waiting& waiting);
    void open(std::uint32_t number, const wire::OpenDevice& call);
    void close(std::uint32_t number);
    void list_devices(std::uint32_t number);
    void answer(std::uint32_t device, const wire::Answer& answer);

    const Server server_;
    const Facts facts_;
    std::shared_ptr<Session> session_;
    std::map<std::uint32_t, Lease> leases_;
    std::deque<Waiting> waiting_;
    Waiting coming_;  // the frame whose data are arriving
    asio::mutable_buffer buffer_;
    const std::shared_ptr<AnswerAccount> answers_;
};

}  // namespace trellis
