#include "trellis/transport/links/open_links.hpp"

#include <algorithm>
#include <utility>

#include "trellis/base/error.hpp"
#include "trellis/transport/links/wide_area/link_manager.hpp"
#include "trellis/transport/streams/deadline.hpp"

namespace trellis {

namespace {

using std::chrono::milliseconds;

constexpr milliseconds between_reports{10'000}, one_wait{200};
constexpr std::uint32_t shortest_chunk = 4 << 10;
constexpr std::size_t most_sites = 64;

void check(const LinkChoice& choice) {
    if (choice.streams && (*choice.streams < 1 || *choice.streams > most_streams))
        throw InputError("streams of a link is " + std::to_string(*choice.streams) + ": allowed is 1 to " +
                         std::to_string(most_streams));
    if (choice.chunk && (*choice.chunk < shortest_chunk || *choice.chunk > limits_of_link.data_bytes))
        throw InputError("chunk of a link is " + std::to_string(*choice.chunk) + ": allowed is " +
                         std::to_string(shortest_chunk) + " to " + std::to_string(limits_of_link.data_bytes) +
                         " bytes");
}

void check(const LinkSettings& settings) {
    if (settings.ring.size() < 2 || settings.ring.size() > most_sites)
        throw InputError("the ring has " + std::to_string(settings.ring.size()) + " sites: allowed is 2 to " +
                         std::to_string(most_sites));
    for (const std::string& name : settings.ring)
        if (std::ranges::count(settings.ring, name) > 1) throw InputError("the ring names " + name + " twice");
    if (settings.site >= settings.ring.size())
        throw InputError("site is " + std::to_string(settings.site) + ": allowed is 0 to " +
                         std::to_string(settings.ring.size() - 1));
    if (settings.memory < 2 * limits_of_link.data_bytes)
        throw InputError("memory of a link is " + std::to_string(settings.memory) + ": allowed is " +
                         std::to_string(2 * limits_of_link.data_bytes) + " bytes or more");
    for (const auto& [site, choice] : settings.choices) check(choice);
}

// The sites that have not connected, and why.
std::string missing_sites(const LinkManager& manager, const LinkSettings& settings) {
    std::string missing;
    for (std::size_t site = 0; site < settings.ring.size(); ++site) {
        const auto link = manager.link(site);
        if (link == nullptr || link->wait_for_peer(LinkState::Clock::now())) continue;
        const std::string why = manager.errors().of(site);
        missing += (missing.empty() ? "" : ", ") + settings.ring[site] + (why.empty() ? "" : " (" + why + ")");
    }
    return missing;
}

void wait_for_all(const LinkManager& manager, const LinkSettings& settings) {
    const auto end = LinkState::Clock::now() + settings.wait;
    auto next_report = LinkState::Clock::now() + one_wait;
    for (std::size_t site = 0; site < settings.ring.size(); ++site) {
        const auto link = manager.link(site);
        while (link != nullptr) {
            const auto now = LinkState::Clock::now();
            if (link->wait_for_peer(std::min(end, now + one_wait))) break;
            manager.errors().throw_permanent();
            if (LinkState::Clock::now() >= end)
                throw RunError("after " + seconds_text(settings.wait) + " this site still waits for " +
                               missing_sites(manager, settings));
            if (now < next_report) continue;
            next_report = now + between_reports;
            if (settings.waiting) settings.waiting("waiting for " + missing_sites(manager, settings));
        }
    }
}

// A link over streams of TCP with TLS 1.3.
class WideLink : public Link {
  public:
    // owner: an object that must live as long as the link, such as the listener.
    WideLink(std::shared_ptr<LinkState> state, std::shared_ptr<void> owner)
        : state_(std::move(state)), owner_(std::move(owner)) {}
    // A link that has not been closed breaks off, without a close notice to its peer.
    ~WideLink() override { state_->abandon(); }
    WideLink(const WideLink&) = delete;
    WideLink& operator=(const WideLink&) = delete;

    void send(LinkTag tag, std::vector<std::byte> bytes) override { state_->send(tag, std::move(bytes)); }
    bool has_room() const override { return state_->has_room(); }
    std::optional<std::vector<std::byte>> take(LinkTag tag) override { return state_->take(tag); }
    bool has(LinkTag tag) const override { return state_->has(tag); }
    std::vector<std::byte> receive(LinkTag tag) override { return state_->receive(tag); }
    void close() override { state_->close(); }
    const std::string& peer() const override { return state_->facts().peer; }
    LinkTraffic traffic() const override { return state_->traffic(); }

  private:
    std::shared_ptr<LinkState> state_;
    std::shared_ptr<void> owner_;
};

}  // namespace

std::vector<std::shared_ptr<Link>> open_links(const LinkSettings& settings) {
    check(settings);
    const std::shared_ptr<LinkManager> manager = LinkManager::open(settings);
    std::vector<std::shared_ptr<Link>> links(settings.ring.size());
    for (std::size_t site = 0; site < links.size(); ++site)
        if (site != settings.site) links[site] = std::make_shared<WideLink>(manager->link(site), manager);
    wait_for_all(*manager, settings);
    return links;
}

}  // namespace trellis
