#include "trellis/transport/links/wide_area/link_manager.hpp"

#include <algorithm>
#include <asio/co_spawn.hpp>
#include <asio/detached.hpp>
#include <asio/post.hpp>
#include <asio/use_awaitable.hpp>
#include <future>
#include <string_view>
#include <utility>

#include "trellis/transport/keys/identity.hpp"
#include "trellis/transport/keys/known_keys.hpp"
#include "trellis/transport/streams/deadline.hpp"
#include "trellis/transport/streams/network_thread.hpp"

namespace trellis {

namespace {

using std::chrono::milliseconds;

constexpr milliseconds between_ticks{50}, between_attempts{250}, time_to_welcome{5000};
constexpr milliseconds head_start{3000};               // until the second site of a pair connects
constexpr std::size_t most_attempts = 16;              // to connect, by one link at the same time
constexpr const char* restarted = "it was restarted";  // a refusal that ends a link

}  // namespace

std::shared_ptr<LinkManager> LinkManager::open(const LinkSettings& settings) {
    const std::shared_ptr<LinkManager> manager(new LinkManager(settings));
    const auto listen = [manager, &settings]() -> asio::awaitable<void> {
        manager->listen(settings);
        co_return;
    };
    run_on_network(listen());
    add_network_user(manager);
    asio::co_spawn(network(), watch(manager), asio::detached);
    return manager;
}

LinkManager::LinkManager(const LinkSettings& settings)
    : site_(settings.site),
      keys_(settings.keys.empty() ? keys_folder() : settings.keys),
      peers_(settings.ring.size()),
      errors_(settings.ring.size()) {
    for (std::size_t site = 0; site < peers_.size(); ++site) {
        const std::string& name = settings.ring[site];
        ring_ += (ring_.empty() ? "" : " ") + name;
        if (site == site_) continue;
        const auto given = settings.choices.find(site);
        const LinkChoice choice = given == settings.choices.end() ? LinkChoice{} : given->second;
        Peer& peer = peers_[site];
        peer.link = std::make_shared<LinkState>(network().get_executor(),
                                                LinkState::Facts{name, settings.grace, settings.memory, choice});
        peer.connects_here = !choice.via.empty() && site_ < site;
        peer.address = {parse_site(choice.via.empty() ? name : choice.via), name_of(parse_site(name)), keys_};
    }
}

// The listener is ended by the network's thread, which may be using it.
LinkManager::~LinkManager() {
    if (listener_ == nullptr) return;
    if (network().get_executor().running_in_this_thread()) {
        listener_->stop();
        return;
    }
    const auto stopped = std::make_shared<std::promise<void>>();
    auto future = stopped->get_future();
    asio::post(network(), [listener = std::shared_ptr<Listener>(std::move(listener_)), stopped]() mutable {
        listener->stop();
        listener.reset();
        stopped->set_value();
    });
    future.wait_for(time_to_welcome);
}

void LinkManager::network_ends(std::shared_ptr<void> /*busy*/) {
    for (const Peer& peer : peers_)
        if (peer.link != nullptr) peer.link->fail("this program ends");
    listener_.reset();
}

void LinkManager::listen(const LinkSettings& settings) {
    const auto handshake = [weak = weak_from_this()](std::shared_ptr<Stream> stream,
                                                     std::string fingerprint) -> asio::awaitable<void> {
        const auto self = weak.lock();
        if (self == nullptr) throw TransportError("this site ends");
        co_await self->handshake(std::move(stream), std::move(fingerprint));
    };
    const auto refused = [weak = weak_from_this()](const std::string& peer, const std::string& why) {
        const auto self = weak.lock();
        if (self != nullptr) self->errors_.note_rejected(peer, why);
    };
    const auto allowed = [weak = weak_from_this()](const std::string& fingerprint) {
        const auto self = weak.lock();
        return self != nullptr && self->trusts(fingerprint);
    };
    Address address = parse_site(settings.listen.empty() ? settings.ring[site_] : settings.listen);
    if (settings.listen.empty()) address.host = "0.0.0.0";
    listener_ = std::make_unique<Listener>(network().get_executor(), Accepted{handshake, refused});
    listener_->listen_tls(address.host, address.port, identity_in(keys_), allowed);
}

bool LinkManager::trusts(const std::string& fingerprint) const {
    const std::vector<KnownKey> known = KnownKeys(keys_, KnownKeys::List::trusted).read();
    return std::ranges::any_of(peers_, [&](const Peer& peer) {
        return peer.link != nullptr && std::ranges::any_of(known, [&](const KnownKey& key) {
                   return key.name == peer.address.name && key.fingerprint == fingerprint;
               });
    });
}

// The reason to refuse a site's hello; empty: it is accepted.
std::string LinkManager::refusal_of(const SiteHello& hello, const std::string& fingerprint) {
    if (hello.ring != ring_) return "its list of sites is '" + ring_ + "', that of the other site '" + hello.ring + "'";
    if (hello.to != site_ || hello.from == site_ || hello.from >= peers_.size())
        return "it is site " + std::to_string(site_ + 1) + " of the list";
    Peer& peer = peers_[hello.from];
    if (KnownKeys(keys_, KnownKeys::List::trusted).fingerprint_of(peer.address.name) != fingerprint)
        return "it does not trust the key of " + peer.address.name;
    const bool is_known = peer.instance != SessionKey{};
    if (is_known && hello.instance != peer.instance) {
        peer.link->fail(restarted);
        return "it was in another run with this site";
    }
    if (hello.peer != SessionKey{} && hello.peer != instance_) return restarted;
    return peer.link->over() ? "it has ended the link" : "";
}

asio::awaitable<void> LinkManager::handshake(std::shared_ptr<Stream> stream, std::string fingerprint) {
    const auto self = shared_from_this();
    const SiteHello hello = co_await receive_site_hello(*stream);
    const std::string refusal = refusal_of(hello, fingerprint);
    if (!refusal.empty()) {
        co_await send_refusal(*stream, refusal);
        throw TransportError(refusal);
    }
    Peer& peer = peers_[hello.from];
    peer.instance = hello.instance;
    const auto numbers = peer.link->numbers();
    const SiteWelcome welcome{instance_, numbers.received, numbers.granted};
    co_await send_site_welcome(*stream, welcome);
    peer.link->attach(std::move(stream), hello.received, hello.granted, false);
}

// Opens one more stream to a site, or notes the error.
asio::awaitable<void> LinkManager::connect_to(std::size_t site) {
    Peer& peer = peers_[site];
    ++peer.connecting;
    const bool first = peer.instance == SessionKey{};
    try {
        co_await attempt(site);
    } catch (const ServerGone& error) {
        note(site, error.what(), true, false);
    } catch (const ConnectionClosed& error) {
        note(site, error.what(), true, false);
    } catch (const InputError& error) {
        note(site, error.what(), false, first);
    } catch (const asio::system_error& error) {
        note(site, "no answer to a handshake: " + error.code().message(), false, false);
    } catch (const std::exception& error) {
        note(site, error.what(), false, false);
    }
    --peer.connecting;
}

asio::awaitable<void> LinkManager::attempt(std::size_t site) {
    Peer& peer = peers_[site];
    const std::shared_ptr<Stream> stream = co_await connect_tls(peer.address);
    const Deadline deadline(co_await asio::this_coro::executor, time_to_welcome,
                            std::bind_front(&Stream::close, stream));
    const auto numbers = peer.link->numbers();
    const SiteHello hello{ring_,
                          static_cast<std::uint32_t>(site_),
                          static_cast<std::uint32_t>(site),
                          instance_,
                          peer.instance,
                          numbers.received,
                          numbers.granted};
    SiteWelcome welcome;
    const auto asked = Clock::now();
    try {
        co_await send_site_hello(*stream, hello);
        welcome = co_await receive_site_welcome(*stream);
    } catch (const asio::system_error& error) {
        if (error.code() == asio::error::operation_aborted || error.code() == asio::error::bad_descriptor) throw;
        throw ConnectionClosed(
            "it closes the connection; if it does not trust this site's key, run there: trellis "
            "keys trust NAME " +
            identity_in(keys_).fingerprint + ", with this site's NAME in the ring");
    } catch (const InputError& refusal) {
        if (refusal.what() == std::string_view(restarted)) peer.link->fail(restarted);
        throw InputError(peer.address.name + " refuses: " + refusal.what());
    }
    if (peer.instance != SessionKey{} && peer.instance != welcome.instance) {
        peer.link->fail(restarted);
        co_return stream->close();
    }
    peer.instance = welcome.instance;
    peer.link->note_round_trip(Clock::now() - asked);
    peer.link->attach(stream, welcome.received, welcome.granted, true);
}

void LinkManager::note(std::size_t site, const std::string& why, bool refused, bool permanent) {
    peers_[site].link->liveness().attempt_failed(why, refused);
    errors_.note(site, why, permanent);
}

asio::awaitable<void> LinkManager::watch(std::weak_ptr<LinkManager> weak) {
    asio::steady_timer timer(network());
    while (true) {
        timer.expires_after(between_ticks);
        co_await timer.async_wait(asio::use_awaitable);
        const auto self = weak.lock();
        if (self == nullptr) co_return;
        for (std::size_t site = 0; site < self->peers_.size(); ++site) {
            if (site == self->site_) continue;
            self->peers_[site].link->tick(Clock::now());
            self->open_missing(site, Clock::now());
        }
    }
}

// Opens the streams that a link lacks. The site further down the list makes the first connection; the other one tries
// after a head start.
void LinkManager::open_missing(std::size_t site, Clock::time_point now) {
    Peer& peer = peers_[site];
    const std::size_t missing = std::min(peer.link->streams_missing(), most_attempts);
    if (peer.connects_here || peer.connecting >= missing || now < peer.next_attempt) return;
    const bool waits = peer.instance == SessionKey{} && site_ < site;
    if (waits && now - peer.link->liveness().without_stream_since() < head_start) return;
    peer.next_attempt = now + between_attempts;
    for (std::size_t k = peer.connecting; k < missing; ++k)
        asio::co_spawn(network(), [self = shared_from_this(), site] { return self->connect_to(site); }, asio::detached);
}

}  // namespace trellis
