// A client of a server: its session, and the devices that it has opened.
#pragma once

#include <chrono>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "trellis/devices/remote/lent_devices.hpp"
#include "trellis/devices/remote/served_device.hpp"
#include "trellis/transport/greeting.hpp"
#include "trellis/transport/session.hpp"

namespace trellis {

class ServedClient : public SessionUser, public std::enable_shared_from_this<ServedClient> {
  public:
    // What the server does for its clients.
    struct Server {
        asio::any_io_executor executor;
        LentDevices& devices;
        ServedDevice::Discard discard;
        // The session has ended, or its connection broke and may come back.
        std::function<void(ServedClient&, const std::string& why, bool for_good)> lost;
    };

    ServedClient(Server server, SessionKey key, std::string who, std::string fingerprint);
    // The object is owned by now: goes on over this connection.
    void attach(std::shared_ptr<Stream> stream, std::uint64_t received_by_client);
    // Ends the session and gives back its devices.
    void end();

    const SessionKey& key() const { return key_; }
    const std::string& who() const { return who_; }
    const std::string& fingerprint() const { return fingerprint_; }
    Session& session() { return *session_; }

    asio::awaitable<void> take(const FrameHeader& header, std::vector<std::byte> body, Stream& stream) override;
    void acknowledged() override { carry_out_waiting(); }
    void lost(const std::string& why, bool broken_rules) override;

  private:
    struct Lease {
        std::string name;
        std::uint64_t memory;
        std::shared_ptr<ServedDevice> device;
    };
    // A frame whose calls have not all been carried out.
    struct Waiting {
        std::uint32_t device;
        std::shared_ptr<ReceivedFrame> frame;
        std::size_t body_read = 0, data_read = 0;
    };

    void carry_out_waiting();
    bool carry_out(Waiting& waiting);
    void open(std::uint32_t number, const wire::OpenDevice& call);
    void close(std::uint32_t number);
    void list_devices(std::uint32_t number);
    void answer(std::uint32_t device, const wire::Answer& answer);
    std::uint64_t answer_bytes() const;

    const Server server_;
    const SessionKey key_;
    const std::string who_, fingerprint_;
    std::shared_ptr<Session> session_;
    std::map<std::uint32_t, Lease> leases_;
    std::deque<Waiting> waiting_;
};

}  // namespace trellis
