// Two sites in a test, each with its own keys, which trust each other, and with links over this machine's TCP.
#pragma once

#include <asio/io_context.hpp>
#include <asio/ip/tcp.hpp>
#include <future>
#include <memory>
#include <string>
#include <utility>

#include "trellis/transport/keys/identity.hpp"
#include "trellis/transport/keys/known_keys.hpp"
#include "trellis/transport/links/open_links.hpp"
#include "unit/transport/keys_folder.hpp"

namespace trellis {

// A free port of this machine.
inline std::uint16_t free_port() {
    asio::io_context io;
    return asio::ip::tcp::acceptor(io, {asio::ip::make_address("127.0.0.1"), 0}).local_endpoint().port();
}

class TwoSites {
  public:
    TwoSites() {
        for (int site : {0, 1}) {
            settings_[site].ring = ring_;
            settings_[site].site = static_cast<std::size_t>(site);
            settings_[site].keys = folder_.path() / std::to_string(site);
            std::filesystem::create_directories(settings_[site].keys);
            settings_[site].wait = std::chrono::seconds(30);
        }
        for (int site : {0, 1})
            KnownKeys(settings_[site].keys, KnownKeys::List::trusted).add({ring_[1 - site], fingerprint(1 - site)});
    }

    LinkSettings& settings(int site) { return settings_[site]; }
    const std::string& name(int site) const { return ring_[site]; }
    asio::ip::tcp::endpoint endpoint(int site) const { return {asio::ip::make_address("127.0.0.1"), ports_[site]}; }
    std::string fingerprint(int site) const { return identity_in(settings_[site].keys).fingerprint; }
    // This site reaches the other one by this port alone; the other one cannot connect to it.
    void connect_by(int site, std::uint16_t port) {
        settings_[site].choices[1 - site].via = "127.0.0.1:" + std::to_string(port);
        settings_[1 - site].choices[site].via = "127.0.0.1:" + std::to_string(free_port());
    }

    // The link of this site to the other, which is opened at the same time elsewhere.
    std::shared_ptr<Link> open(int site) const { return open_links(settings_[site]).at(1 - site); }
    using Pair = std::pair<std::shared_ptr<Link>, std::shared_ptr<Link>>;
    Pair open() const {
        auto first = std::async(std::launch::async, [this] { return open(0); });
        auto second = open(1);
        return {first.get(), second};
    }

  private:
    KeysFolder folder_;
    std::vector<std::uint16_t> ports_{free_port(), free_port()};
    std::vector<std::string> ring_{"127.0.0.1:" + std::to_string(ports_[0]), "127.0.0.1:" + std::to_string(ports_[1])};
    LinkSettings settings_[2];
};

}  // namespace trellis
