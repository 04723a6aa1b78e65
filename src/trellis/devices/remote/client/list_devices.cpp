#include "trellis/devices/remote/client/list_devices.hpp"

#include <future>
#include <utility>

#include "trellis/devices/remote/client/server_connection.hpp"
#include "trellis/devices/remote/open.hpp"
#include "trellis/transport/streams/transport_error.hpp"

namespace trellis {

namespace {

class Listing : public AnswerReceiver {
  public:
    std::span<std::byte> destination_of(const wire::Downloaded&) override {
        throw TransportError("the answer to a list of devices has data");
    }
    void answered(const wire::Answer& answer) override {
        const auto* devices = std::get_if<wire::Devices>(&answer);
        if (devices != nullptr && !std::exchange(known_, true)) found_.set_value(devices->entries);
    }
    void lost(const std::string& why) override {
        if (std::exchange(known_, true)) return;
        found_.set_exception(std::make_exception_ptr(TransportError("the connection is lost: " + why)));
    }
    std::vector<LentDevice> wait() { return found_.get_future().get(); }

  private:
    bool known_ = false;  // used by the network's thread alone
    std::promise<std::vector<LentDevice>> found_;
};

}  // namespace

std::vector<LentDevice> devices_of(const std::string& address) {
    const auto connection = ServerConnection::to(parse_address(address), usual_grace);
    const auto listing = std::make_shared<Listing>();
    Frame frame;
    frame.header.type = FrameType::calls;
    frame.header.device = connection->add(listing);
    ByteWriter body;
    wire::put(body, wire::ListDevices{});
    frame.body = body.take();
    connection->begin_wait();
    const std::uint32_t number = frame.header.device;
    connection->send(std::move(frame));
    std::vector<LentDevice> found = listing->wait();
    connection->end_wait();
    connection->remove(number);
    return found;
}

}  // namespace trellis
