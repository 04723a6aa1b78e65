// Manager of the connections of all links of a site: listens for the other sites, connects to them, and reconnects.
#pragma once

#include <asio/awaitable.hpp>
#include <memory>
#include <string>
#include <vector>

#include "trellis/transport/connections/connect.hpp"
#include "trellis/transport/connections/listener.hpp"
#include "trellis/transport/links/open_links.hpp"
#include "trellis/transport/links/wide_area/connect_errors.hpp"
#include "trellis/transport/links/wide_area/link_state.hpp"
#include "trellis/transport/links/wide_area/site_handshake.hpp"
#include "trellis/transport/streams/network_thread.hpp"

namespace trellis {

class LinkManager : public NetworkUser, public std::enable_shared_from_this<LinkManager> {
  public:
    using Clock = LinkState::Clock;

    // Begins to listen and to connect. Throws InputError for settings that cannot be used.
    static std::shared_ptr<LinkManager> open(const LinkSettings& settings);
    ~LinkManager() override;
    LinkManager(const LinkManager&) = delete;
    LinkManager& operator=(const LinkManager&) = delete;

    // The link to a site, by its number; null for this site.
    std::shared_ptr<LinkState> link(std::size_t site) const { return peers_[site].link; }
    // Errors of attempts to connect. Permanent are those of the first attempt for which the other site has refused this
    // one, or its key is not trusted.
    const ConnectErrors& errors() const { return errors_; }

    void network_ends(std::shared_ptr<void> busy) override;

  private:
    struct Peer {
        std::shared_ptr<LinkState> link;
        TlsPeer address;
        SessionKey instance{};       // zero: not known yet
        bool connects_here = false;  // it reaches this site by a forwarder; this site does not connect to it
        std::size_t connecting = 0;  // attempts under way
        Clock::time_point next_attempt{};
    };

    explicit LinkManager(const LinkSettings& settings);
    void listen(const LinkSettings& settings);
    asio::awaitable<void> handshake(std::shared_ptr<Stream> stream, std::string fingerprint);
    std::string refusal_of(const SiteHello& hello, const std::string& fingerprint);
    asio::awaitable<void> connect_to(std::size_t site);
    asio::awaitable<void> attempt(std::size_t site);
    static asio::awaitable<void> watch(std::weak_ptr<LinkManager> weak);
    void open_missing(std::size_t site, Clock::time_point now);
    bool trusts(const std::string& fingerprint) const;
    void note(std::size_t site, const std::string& why, bool refused, bool permanent);

    const std::size_t site_;
    const std::filesystem::path keys_;
    const SessionKey instance_ = random_session_key();
    std::string ring_;  // the names of all sites
    std::vector<Peer> peers_;
    std::unique_ptr<Listener> listener_;
    ConnectErrors errors_;
};

}  // namespace trellis
