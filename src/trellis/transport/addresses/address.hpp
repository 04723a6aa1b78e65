// Addresses of devices of other machines, and of the servers that lend them.
//
//     trellis://HOST[:PORT]/DEVICE        TCP with TLS
//     ssh://[USER@]HOST[:PORT]/DEVICE     the user's own ssh starts the server there
//     unix:PATH/DEVICE                    a Unix socket of this machine
//     plain://HOST:PORT/DEVICE            TCP without TLS, for an address of this machine (127.0.0.0/8, ::1)
//
// HOST may be an IPv6 address in brackets. DEVICE is a name as on that machine: cpu, cuda:0. Without it, and without
// the slash before it, an address names the server.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace trellis {

enum class AddressKind { tls, ssh, unix_socket, plain };

constexpr std::uint16_t usual_port = 7735;

struct Address {
    AddressKind kind = AddressKind::tls;
    std::string host;        // with USER@ for ssh, without brackets; for a Unix socket its path
    std::uint16_t port = 0;  // ssh: 0 is what ssh itself chooses
    std::string device;      // empty: the server

    // The address without the device, as a person would type it: one name for one server.
    std::string server() const;
};

// True if a device's name is the address of one of another machine.
bool is_remote(std::string_view name);

// Throws InputError if the text is no such address.
Address parse_address(std::string_view text);

// The address of HOST[:PORT], reached by TCP with TLS. Throws InputError if the text is no such place.
Address parse_place(const std::string& text);

}  // namespace trellis
