#include "trellis/transport/addresses/address.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <stdexcept>

#include "trellis/base/error.hpp"

namespace trellis {

namespace {

struct Scheme {
    std::string_view prefix;
    AddressKind kind;
};
constexpr std::array<Scheme, 4> schemes{{{"trellis://", AddressKind::tls},
                                         {"ssh://", AddressKind::ssh},
                                         {"unix:", AddressKind::unix_socket},
                                         {"plain://", AddressKind::plain}}};

[[noreturn]] void refuse(std::string_view text, const std::string& why) {
    throw InputError(
        "'" + std::string(text) + "' is not an address of a device: " + why +
        "; allowed are trellis://HOST[:PORT]/DEVICE, ssh://[USER@]HOST[:PORT]/DEVICE, unix:PATH/DEVICE and "
        "plain://HOST:PORT/DEVICE");
}

std::uint16_t parse_port(std::string_view text, std::string_view digits) {
    std::uint16_t port = 0;
    const auto [end, failure] = std::from_chars(digits.data(), digits.data() + digits.size(), port);
    if (failure != std::errc() || end != digits.data() + digits.size() || port == 0)
        refuse(text, "its port is '" + std::string(digits) + "', allowed is 1 to 65535");
    return port;
}

// HOST, HOST:PORT or [HOST]:PORT
void parse_host(std::string_view text, std::string_view host, Address& address) {
    const bool bracketed = host.starts_with('[');
    const std::size_t end = bracketed ? host.find(']') : host.find(':');
    if (bracketed && end == std::string_view::npos) refuse(text, "a bracket is not closed");
    address.host = bracketed ? host.substr(1, end - 1) : host.substr(0, end);
    std::string_view rest = end == std::string_view::npos ? "" : host.substr(end + (bracketed ? 1 : 0));
    if (rest.starts_with(':'))
        address.port = parse_port(text, rest.substr(1));
    else if (!rest.empty())
        refuse(text, "'" + std::string(rest) + "' follows its host");
    const auto allowed = [](char c) { return c > ' ' && c < 127 && c != '/'; };
    if (address.host.empty() || address.host.front() == '-' || !std::ranges::all_of(address.host, allowed))
        refuse(text, "it names no host");
}

}  // namespace

std::string Address::server() const {
    const bool v6 = host.find(':') != std::string::npos;
    const std::string name = v6 ? std::string("[").append(host).append("]") : host;
    const std::string behind = port == 0 || (kind == AddressKind::tls && port == usual_port)
                                   ? ""
                                   : std::string(":").append(std::to_string(port));
    switch (kind) {
        case AddressKind::tls:
            return "trellis://" + name + behind;
        case AddressKind::ssh:
            return "ssh://" + name + behind;
        case AddressKind::unix_socket:
            return "unix:" + host;
        case AddressKind::plain:
            return "plain://" + name + behind;
    }
    throw std::logic_error("unknown kind of address");
}

bool is_remote(std::string_view name) {
    return std::ranges::any_of(schemes, [&](const Scheme& scheme) { return name.starts_with(scheme.prefix); });
}

Address parse_address(std::string_view text) {
    const auto scheme =
        std::ranges::find_if(schemes, [&](const Scheme& each) { return text.starts_with(each.prefix); });
    if (scheme == schemes.end()) refuse(text, "its scheme is unknown");
    std::string_view rest = text.substr(scheme->prefix.size());
    Address address{scheme->kind, "", 0, ""};
    if (address.kind == AddressKind::unix_socket) {
        // the last part of the path is a device if it has the form of one
        const std::size_t slash = rest.rfind('/');
        const std::string_view last = slash == std::string_view::npos ? "" : rest.substr(slash + 1);
        const bool named = last == "cpu" || last.starts_with("cpu#") || last.starts_with("cuda:") ||
                           last.starts_with("hip:") || last.starts_with("opencl:") || last.starts_with("rehearsal");
        address.device = named ? last : "";
        address.host = named ? rest.substr(0, slash) : rest;
        if (address.host.empty()) refuse(text, "it names no socket");
        return address;
    }
    const std::size_t slash = rest.find('/');
    if (slash != std::string_view::npos) address.device = rest.substr(slash + 1);
    parse_host(text, rest.substr(0, slash), address);
    if (address.kind == AddressKind::tls && address.port == 0) address.port = usual_port;
    if (address.kind == AddressKind::plain && address.port == 0) refuse(text, "it has no port");
    return address;
}

Address parse_site(const std::string& text) {
    const std::string refusal = "'" + text + "' is not an address of a site: allowed is HOST:PORT";
    Address address;
    try {
        address = parse_address("trellis://" + text);
    } catch (const InputError&) {
        throw InputError(refusal);  // the error of parse_address is about devices
    }
    if (!address.device.empty() || text.find('/') != std::string::npos) throw InputError(refusal);
    return address;
}

}  // namespace trellis
