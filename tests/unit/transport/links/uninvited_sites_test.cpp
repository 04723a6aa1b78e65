// Peers that are not sites of the run get nothing, directly and through a forwarder, and the run goes on.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <asio/read.hpp>
#include <asio/write.hpp>
#include <chrono>
#include <list>
#include <thread>

#include "trellis/transport/connections/forwarder.hpp"
#include "unit/error_message.hpp"
#include "unit/transport/fuzzed_bytes.hpp"
#include "unit/transport/links/raw_site.hpp"
#include "unit/transport/links/two_sites.hpp"
#include "unit/transport/relay.hpp"

namespace trellis::uninvited_sites_test {

using Bytes = std::vector<std::byte>;

class RunningForwarder {
  public:
    RunningForwarder(const asio::ip::tcp::endpoint& to, std::size_t connections)
        : forwarder_({"127.0.0.1", 0, "127.0.0.1:" + std::to_string(to.port()), connections},
                     [this](const std::string& event, const auto& facts) {
                         if (event != "refused") return;
                         const std::scoped_lock lock(mutex_);
                         refused_.push_back(facts.back().second);
                     }),
          thread_([this] { forwarder_.run(); }) {}
    ~RunningForwarder() { forwarder_.stop(); }
    RunningForwarder(const RunningForwarder&) = delete;
    RunningForwarder& operator=(const RunningForwarder&) = delete;

    std::uint16_t port() const { return forwarder_.port(); }
    std::vector<std::string> refused() {
        const std::scoped_lock lock(mutex_);
        return refused_;
    }

  private:
    std::mutex mutex_;
    std::vector<std::string> refused_;
    Forwarder forwarder_;
    std::jthread thread_;
};

// Two sites with a link, directly or through a forwarder, behind which a relay records the bytes.
class UninvitedSitesTest : public testing::TestWithParam<bool> {
  protected:
    UninvitedSitesTest()
        : relay_(Tcp::endpoint(asio::ip::make_address("127.0.0.1"), 0), sites_.endpoint(0)),
          forwarder_(relay_.endpoint(), 64),
          port_(GetParam() ? forwarder_.port() : relay_.endpoint().port()) {
        sites_.connect_by(1, port_);
        std::tie(first_, second_) = sites_.open();
    }
    void expect_link() const {
        first_->send(1, Bytes(100'000, std::byte{1}));
        ASSERT_EQ(second_->receive(1).size(), 100'000U);
        second_->send(1, Bytes(10));
        ASSERT_EQ(first_->receive(1).size(), 10U);
    }
    // Sends bytes, and returns when the connection has been closed.
    void send(const std::vector<char>& bytes) const {
        asio::io_context io;
        asio::ip::tcp::socket socket(io);
        socket.connect({asio::ip::make_address("127.0.0.1"), port_});
        asio::error_code gone;
        asio::write(socket, asio::buffer(bytes), gone);
        std::vector<char> dropped(4096);
        for (gone.clear(); !gone;) socket.read_some(asio::buffer(dropped), gone);
    }
    // A site with the keys of a folder, which connects to the first one.
    RawSite visitor(const std::filesystem::path& keys) const {
        KnownKeys(keys, KnownKeys::List::trusted).add({sites_.name(0), sites_.fingerprint(0)});
        return RawSite(parse_site("127.0.0.1:" + std::to_string(port_)), sites_.name(0), keys);
    }
    SiteHello hello() const {
        return {sites_.name(0) + " " + sites_.name(1), 1, 0, random_session_key(), {}, 0, 1 << 20};
    }

    TwoSites sites_;
    Relay<Tcp> relay_;
    RunningForwarder forwarder_;
    std::uint16_t port_;
    std::shared_ptr<Link> first_, second_;
};

TEST_P(UninvitedSitesTest, handshakes_without_a_trusted_key_are_refused) {
    const std::string request = "GET / HTTP/1.1\r\nHost: site\r\n\r\n";
    send({request.begin(), request.end()});
    send(relay_.sent_by_clients());  // a recorded handshake
    KeysFolder untrusted;
    EXPECT_THROW(visitor(untrusted.path()).handshake(hello()), std::exception);
    expect_link();
}

TEST_P(UninvitedSitesTest, a_site_is_accepted_as_itself_alone) {
    const auto refusal = [&](const SiteHello& sent) {
        return message_of([&] { visitor(sites_.settings(1).keys).handshake(sent); });
    };
    SiteHello other = hello();
    other.from = 0;
    EXPECT_EQ(refusal(other), "it is site 1 of the list");
    other = hello();
    other.ring = "here there";
    EXPECT_TRUE(refusal(other).starts_with("its list of sites is '"));
    other = hello();
    other.peer = random_session_key();
    EXPECT_EQ(refusal(other), "it was in another run with this site");
    EXPECT_TRUE(message_of<RunError>([&] { first_->receive(1); }).ends_with("it was restarted"));
}

TEST_P(UninvitedSitesTest, mutated_handshakes_change_nothing) {
    FuzzedBytes draw(4);
    for (int k = 0; k < std::min(fuzzed_frames(), 200); ++k) {
        RawSite site = visitor(sites_.settings(1).keys);
        Bytes sent = encoded_hello(hello());
        draw.mutate(sent);
        // a correct handshake of another instance of the site ends the link
        if (sent != encoded_hello(hello()) && sent.size() > frame_header_bytes) sent[4] ^= std::byte{1};
        site.send(sent);
    }
    expect_link();
}

INSTANTIATE_TEST_SUITE_P(DirectlyAndForwarded, UninvitedSitesTest, testing::Bool(),
                         [](const auto& way) { return way.param ? "forwarded" : "directly"; });

TEST(ForwarderTest, it_sees_no_contents) {
    TwoSites sites;
    Relay<Tcp> relay(Tcp::endpoint(asio::ip::make_address("127.0.0.1"), 0), sites.endpoint(0));
    RunningForwarder forwarder(relay.endpoint(), 64);
    sites.connect_by(1, forwarder.port());
    const auto [first, second] = sites.open();
    const std::string secret = "positions of all particles";
    const auto bytes = std::as_bytes(std::span(secret));
    second->send(1, {bytes.begin(), bytes.end()});
    EXPECT_EQ(first->receive(1).size(), secret.size());
    const std::vector<char> seen = relay.sent_by_clients();
    EXPECT_GT(seen.size(), 500U);
    EXPECT_EQ(std::ranges::search(seen, secret).begin(), seen.end());
}

TEST(ForwarderTest, connections_beyond_its_limit_are_refused) {
    TwoSites sites;
    RunningForwarder forwarder(sites.endpoint(0), 2);
    sites.connect_by(1, forwarder.port());
    sites.settings(1).choices[0].streams = 3;
    const auto [first, second] = sites.open();
    while (forwarder.refused().empty()) std::this_thread::sleep_for(std::chrono::milliseconds(10));
    EXPECT_EQ(forwarder.refused().front(), "2 connections are open");
    first->send(1, Bytes(3));
    EXPECT_EQ(second->receive(1).size(), 3U);  // the link uses fewer streams
}

TEST(ForwarderTest, silent_connections_keep_no_site_out_and_end) {
    TwoSites sites;
    RunningForwarder forwarder(sites.endpoint(0), 16);
    asio::io_context io;
    std::list<asio::ip::tcp::socket> silent;
    const auto start = std::chrono::steady_clock::now();
    for (int k = 0; k < 16; ++k)
        silent.emplace_back(io).connect({asio::ip::make_address("127.0.0.1"), forwarder.port()});
    sites.connect_by(1, forwarder.port());
    const auto [first, second] = sites.open();
    first->send(1, Bytes(3));
    EXPECT_EQ(second->receive(1).size(), 3U);
    for (asio::ip::tcp::socket& socket : silent) {
        asio::error_code gone;
        char byte = 0;
        socket.read_some(asio::buffer(&byte, 1), gone);
        EXPECT_TRUE(gone);
    }
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(9));
}

TEST(ForwarderTest, once_one_end_has_closed_the_other_is_closed_too) {
    asio::io_context io;
    asio::ip::tcp::acceptor site(io, {asio::ip::make_address("127.0.0.1"), 0});
    RunningForwarder forwarder(site.local_endpoint(), 4);
    asio::ip::tcp::socket client(io);
    client.connect({asio::ip::make_address("127.0.0.1"), forwarder.port()});
    asio::write(client, asio::buffer("a request of a client", 21));
    asio::ip::tcp::socket there = site.accept();
    client.shutdown(asio::ip::tcp::socket::shutdown_send);  // and never closes
    std::array<char, 100> bytes;
    asio::error_code end;
    while (!end) there.read_some(asio::buffer(bytes), end);
    EXPECT_EQ(end, asio::error::eof);
    client.read_some(asio::buffer(bytes), end);  // the site does not close either
    EXPECT_EQ(end, asio::error::connection_reset);
}

TEST(ForwarderTest, a_malformed_address_is_refused) {
    EXPECT_EQ(message_of([] { Forwarder({"127.0.0.1", 0, "a b:1", 2}, nullptr); }),
              "'a b:1' is not an address of a site: allowed is HOST:PORT");
}

TEST(UntrustedSiteTest, a_key_that_is_not_known_is_named) {
    TwoSites sites;
    KnownKeys(sites.settings(1).keys, KnownKeys::List::trusted).remove(sites.name(0));
    auto first = std::async(std::launch::async, [&] {
        sites.settings(0).wait = std::chrono::seconds(1);
        return message_of<RunError>([&] { sites.open(0); });
    });
    EXPECT_TRUE(message_of([&] {
                    sites.open(1);
                }).starts_with("the key of " + sites.name(0) + " is not known yet: it shows " + sites.fingerprint(0)));
    EXPECT_NE(first.get().find("still waits for " + sites.name(1)), std::string::npos);
}

}  // namespace trellis::uninvited_sites_test
