// A site's end of all of its links: listens for the other sites, connects to them, and again when a connection breaks.
#pragma once

#include <asio/awaitable.hpp>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "trellis/transport/connections/connect.hpp"
#include "trellis/transport/connections/listener.hpp"
#include "trellis/transport/links/open_links.hpp"
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

    // By number of the site; null for this one.
    std::shared_ptr<LinkState> link(std::size_t site) const { return peers_[site].link; }
    // What has kept a site from coming, for messages.
    std::string connect_error(std::size_t site) const;
    // Throws InputError if a site will never come: its key is not trusted, or its list of sites is another.
    void check_usable() const;

    void network_ends(std::shared_ptr<void> busy) override;

  private:
    struct Peer {
        std::shared_ptr<LinkState> link;
        TlsPeer place;
        SessionKey instance{};  // zero: not known yet
        bool comes = false;     // it knows a detour to this site: it connects, and this one does not
        std::size_t connecting = 0;
        Clock::time_point next_attempt{};
        std::string connect_error;
    };

    explicit LinkManager(const LinkSettings& settings);
    void listen(const LinkSettings& settings);
    asio::awaitable<void> handshake(std::shared_ptr<Stream> stream, std::string fingerprint);
    std::string refusal_of(const SiteHello& hello, const std::string& fingerprint);
    asio::awaitable<void> connect_to(std::size_t site);
    asio::awaitable<void> attempt(std::size_t site);
    static asio::awaitable<void> look_after(std::weak_ptr<LinkManager> weak);
    void look(std::size_t site, Clock::time_point now);
    bool trusts(const std::string& fingerprint) const;
    void note(std::size_t site, const std::string& why, bool refused, bool for_good);

    const std::size_t site_;
    const std::filesystem::path keys_;
    const SessionKey instance_ = random_session_key();
    std::string ring_;  // the names of all sites
    std::vector<Peer> peers_;
    std::unique_ptr<Listener> listener_;
    mutable std::mutex mutex_;   // of connect_errors
    std::string rejected_peer_;  // the last connection that was refused
    std::string unusable_;
};

}  // namespace trellis
