// Addresses of devices of other machines, and of their servers.
//
//     trellis://HOST[:PORT]/DEVICE        TCP with TLS
//     ssh://[USER@]HOST[:PORT]/DEVICE     the user's ssh starts the server there
//     unix:PATH/DEVICE                    a Unix socket of this machine
//     plain://HOST:PORT/DEVICE            TCP without TLS, for an address of this machine (127.0.0.0/8, ::1)
//
// HOST may be an IPv6 address in brackets. DEVICE is the device's name on that machine: cpu, cuda:0. Without /DEVICE an
// address names the server.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace trellis {

enum class AddressKind { tls, ssh, unix_socket, plain };

constexpr std::uint16_t usual_port = 7735;

struct Address {
    AddressKind kind = AddressKind::tls;
    std::string host;        // ssh: with USER@; IPv6: without brackets; Unix socket: its path
    std::uint16_t port = 0;  // 0: chosen by ssh
    std::string device;      // empty: the server

    // The address of the server, as a user would type it.
    std::string server() const;
};

// True if the name of a device is an address.
bool is_remote(std::string_view name);

// Throws InputError if the text is not such an address.
Address parse_address(std::string_view text);

// Parses HOST[:PORT], the address of a site, which is reached by TCP with TLS. Throws InputError for another text.
Address parse_site(const std::string& text);

}  // namespace trellis
