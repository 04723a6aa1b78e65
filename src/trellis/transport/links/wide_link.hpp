// A link over streams of TCP with TLS 1.3.
#pragma once

#include <memory>
#include <utility>

#include "trellis/transport/links/link.hpp"
#include "trellis/transport/links/link_state.hpp"

namespace trellis {

class WideLink : public Link {
  public:
    // owner: what must live as long as the link, such as the listener.
    WideLink(std::shared_ptr<LinkState> state, std::shared_ptr<void> owner)
        : state_(std::move(state)), owner_(std::move(owner)) {}
    // A link that has not been closed breaks off: its peer is told nothing.
    ~WideLink() override { state_->abandon(); }
    WideLink(const WideLink&) = delete;
    WideLink& operator=(const WideLink&) = delete;

    void send(LinkTag tag, std::vector<std::byte> bytes) override { state_->send(tag, std::move(bytes)); }
    std::optional<std::vector<std::byte>> take(LinkTag tag) override { return state_->take(tag); }
    std::vector<std::byte> receive(LinkTag tag) override { return state_->receive(tag); }
    void close() override { state_->close(); }
    const std::string& peer() const override { return state_->facts().peer; }
    LinkTraffic traffic() const override { return state_->traffic(); }

  private:
    std::shared_ptr<LinkState> state_;
    std::shared_ptr<void> owner_;
};

}  // namespace trellis
