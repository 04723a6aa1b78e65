// The events that a server logs.
#include <gtest/gtest.h>

#include "unit/devices/remote/raw_client.hpp"
#include "unit/devices/remote/running_server.hpp"

namespace trellis::server_log_test {

// Handshake and calls arrive together: the server carries out the calls as soon as it has attached the client.
TEST(EventLog, a_session_is_opened_or_resumed_before_its_devices_are_lent) {
    const KeysFolder keys;
    RunningServer server;
    server.server().listen_unix(keys.socket());
    const std::string address = "unix:" + keys.socket();
    RawClient client(address);
    client.begin_handshake();
    client.send(1, body_of({wire::OpenDevice{"cpu", 1 << 20}}));
    server.start();
    const SessionKey session = client.await_welcome().session;
    ASSERT_EQ(server.logged("lent", 1).size(), 1U);
    RawClient again(address);
    again.begin_handshake(session, 0);
    again.send(2, body_of({wire::CloseDevice{}}));
    again.await_welcome();
    ASSERT_EQ(server.logged("returned", 1).size(), 1U);
    std::vector<std::string> events;
    for (const std::string& line : server.logged("")) events.push_back(line.substr(0, line.find(' ')));
    EXPECT_EQ(events, (std::vector<std::string>{"opened", "lent", "resumed", "returned"}));
}

}  // namespace trellis::server_log_test
