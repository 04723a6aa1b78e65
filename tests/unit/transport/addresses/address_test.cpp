#include "trellis/transport/addresses/address.hpp"

#include <gtest/gtest.h>

#include "unit/error_message.hpp"

namespace trellis::address_test {

void expect(const std::string& text, AddressKind kind, const std::string& host, int port, const std::string& device,
            const std::string& server) {
    const Address address = parse_address(text);
    EXPECT_EQ(address.kind, kind) << text;
    EXPECT_EQ(address.host, host) << text;
    EXPECT_EQ(address.port, port) << text;
    EXPECT_EQ(address.device, device) << text;
    EXPECT_EQ(address.server(), server) << text;
}

TEST(AddressTest, names_a_server_and_its_device) {
    expect("trellis://gpubox/cuda:0", AddressKind::tls, "gpubox", usual_port, "cuda:0", "trellis://gpubox");
    expect("trellis://gpubox:99/cpu", AddressKind::tls, "gpubox", 99, "cpu", "trellis://gpubox:99");
    expect("trellis://[::1]:99/cpu", AddressKind::tls, "::1", 99, "cpu", "trellis://[::1]:99");
    expect("trellis://gpubox", AddressKind::tls, "gpubox", usual_port, "", "trellis://gpubox");
    expect("ssh://me@gpubox/cpu", AddressKind::ssh, "me@gpubox", 0, "cpu", "ssh://me@gpubox");
    expect("ssh://gpubox:22/cpu", AddressKind::ssh, "gpubox", 22, "cpu", "ssh://gpubox:22");
    expect("unix:/tmp/a b/s/cuda:1", AddressKind::unix_socket, "/tmp/a b/s", 0, "cuda:1", "unix:/tmp/a b/s");
    expect("unix:/tmp/s/opencl:0", AddressKind::unix_socket, "/tmp/s", 0, "opencl:0", "unix:/tmp/s");
    expect("unix:/tmp/s/hip:0", AddressKind::unix_socket, "/tmp/s", 0, "hip:0", "unix:/tmp/s");
    expect("unix:/tmp/s/cpu#12", AddressKind::unix_socket, "/tmp/s", 0, "cpu#12", "unix:/tmp/s");
    expect("unix:/tmp/s", AddressKind::unix_socket, "/tmp/s", 0, "", "unix:/tmp/s");
    expect("plain://127.0.0.1:5000/cpu", AddressKind::plain, "127.0.0.1", 5000, "cpu", "plain://127.0.0.1:5000");
}

TEST(AddressTest, local_names_are_no_addresses) {
    for (const char* name : {"cpu", "cuda:0", "host", "auto", ""}) EXPECT_FALSE(is_remote(name)) << name;
    EXPECT_TRUE(is_remote("trellis://gpubox/cpu"));
}

TEST(AddressTest, malformed_addresses_are_refused_with_the_reason) {
    const auto refused = [](const char* text) { return message_of([&] { parse_address(text); }); };
    EXPECT_NE(refused("trellis://").find("it names no host"), std::string::npos);
    EXPECT_NE(refused("trellis://a:0/cpu").find("its port is '0', allowed is 1 to 65535"), std::string::npos);
    EXPECT_NE(refused("trellis://a:70000/cpu").find("its port is '70000'"), std::string::npos);
    EXPECT_NE(refused("trellis://[::1/cpu").find("a bracket is not closed"), std::string::npos);
    EXPECT_NE(refused("plain://127.0.0.1/cpu").find("it has no port"), std::string::npos);
    EXPECT_NE(refused("ssh://-oProxyCommand=evil/cpu").find("it names no host"), std::string::npos);
    EXPECT_NE(refused("http://a/cpu").find("its scheme is unknown"), std::string::npos);
}

}  // namespace trellis::address_test
