// Links between two sites over this machine's TCP.
#include <gtest/gtest.h>

#include <thread>

#include "trellis/base/error.hpp"
#include "unit/error_message.hpp"
#include "unit/transport/fuzzed_bytes.hpp"
#include "unit/transport/links/two_sites.hpp"
#include "unit/transport/relay.hpp"

namespace trellis::wide_link_test {

using Bytes = std::vector<std::byte>;
using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;
using std::chrono::seconds;

// A sequence of messages that both ends know: with tags 0 to 6, some of several chunks.
class MessageSequence {
  public:
    explicit MessageSequence(unsigned seed) : draw_(seed) {}

    LinkTag tag() { return draw_.below(7); }
    Bytes message() { return draw_.bytes(draw_.one_in(16) ? draw_.below(700'000) : draw_.below(300)); }

  private:
    FuzzedBytes draw_;
};

void send_messages(Link& link, unsigned seed, int count, milliseconds pause = {}) {
    MessageSequence sequence(seed);
    for (int k = 0; k < count; ++k) {
        const LinkTag tag = sequence.tag();
        link.send(tag, sequence.message());
        std::this_thread::sleep_for(pause);
    }
}

void expect_messages(Link& link, unsigned seed, int count) {
    MessageSequence sequence(seed);
    for (int k = 0; k < count; ++k) {
        const LinkTag tag = sequence.tag();
        ASSERT_EQ(link.receive(tag), sequence.message()) << "message " << k;
    }
}

void exchange(Link& first, Link& second, int count, milliseconds pause = {}) {
    std::jthread a([&] { send_messages(first, 1, count, pause); });
    std::jthread b([&] { send_messages(second, 2, count, pause); });
    std::jthread c([&] { expect_messages(first, 2, count); });
    expect_messages(second, 1, count);
}

// Small messages that are always in flight on a far link do not show its rate, so they must not limit it.
TEST(WideLinkTest, small_messages_do_not_measure_the_rate) {
    TwoSites sites;
    constexpr milliseconds way(20);
    Relay<Tcp> relay(Tcp::endpoint(asio::ip::make_address("127.0.0.1"), 0), sites.endpoint(0));
    relay.delay(way);
    sites.connect_by(1, relay.endpoint().port());
    const auto [first, second] = sites.open();
    constexpr int at_once = 8;
    for (int k = 0; k < at_once; ++k) first->send(1, Bytes(100));
    for (const auto end = Clock::now() + milliseconds(3200); Clock::now() < end;) {
        second->send(1, second->receive(1));
        first->send(1, first->receive(1));
    }
    EXPECT_EQ(first->traffic().rate, 0);
    EXPECT_EQ(second->traffic().rate, 0);
    const double shortest = 2 * std::chrono::duration<double>(way).count();
    EXPECT_GE(first->traffic().round_trip, shortest);
}

TEST(WideLinkTest, messages_come_in_the_order_of_their_tag_over_several_streams) {
    TwoSites sites;
    sites.settings(1).choices[0].streams = 5;
    sites.settings(1).choices[0].chunk = 5000;
    const auto [first, second] = sites.open();
    EXPECT_EQ(first->peer(), sites.name(1));
    for (int k = 0; second->traffic().streams < 5 && k < 3000; ++k) std::this_thread::sleep_for(milliseconds(10));
    EXPECT_EQ(second->traffic().streams, 5U);
    exchange(*first, *second, 300);
    EXPECT_EQ(second->traffic().messages_received, 300U);
    EXPECT_EQ(second->traffic().bytes_received, first->traffic().bytes_sent);
}

TEST(WideLinkTest, many_tags_can_be_taken_in_any_order) {
    TwoSites sites;
    const auto [first, second] = sites.open();
    for (LinkTag tag = 0; tag < 5000; ++tag) first->send(tag << 40, Bytes(8, static_cast<std::byte>(tag)));
    for (LinkTag tag = 5000; tag-- > 0;) ASSERT_EQ(second->receive(tag << 40), Bytes(8, static_cast<std::byte>(tag)));
    EXPECT_FALSE(second->take(0));
}

TEST(WideLinkTest, a_message_may_be_larger_than_the_memory_of_the_link) {
    TwoSites sites;
    for (int site : {0, 1}) sites.settings(site).memory = 8 << 20;
    const auto [first, second] = sites.open();
    const Bytes large = FuzzedBytes(3).bytes(24 << 20);
    first->send(1, large);
    EXPECT_TRUE(second->receive(1) == large);
}

TEST(WideLinkTest, a_sender_waits_while_no_message_is_taken) {
    TwoSites sites;
    for (int site : {0, 1}) sites.settings(site).memory = 8 << 20;
    const auto [first, second] = sites.open();
    std::jthread sender([&, link = first] {
        for (int k = 0; k < 64; ++k) link->send(1, Bytes(1 << 20));
    });
    for (std::uint64_t before = 1, now = 0; now < 6 || now != before; now = first->traffic().messages_sent) {
        before = now;
        std::this_thread::sleep_for(milliseconds(300));
    }
    for (int k = 0; k < 5; ++k) {
        EXPECT_FALSE(second->has(2));  // which does not allow the other site to send more
        std::this_thread::sleep_for(milliseconds(300));
    }
    EXPECT_LE(first->traffic().messages_sent, 10U);  // 4 MiB here, 4 MiB at the other site, and one in send
    for (int k = 0; k < 64; ++k) EXPECT_EQ(second->receive(1).size(), 1U << 20);
}

TEST(WideLinkTest, connections_that_break_again_and_again_lose_and_double_nothing) {
    TwoSites sites;
    Relay<Tcp> relay(Tcp::endpoint(asio::ip::make_address("127.0.0.1"), 0), sites.endpoint(0));
    sites.connect_by(1, relay.endpoint().port());
    sites.settings(1).choices[0].streams = 4;
    const auto [first, second] = sites.open();
    std::jthread cutter([&](const std::stop_token& stop) {
        for (int k = 0; !stop.stop_requested(); ++k) {
            std::this_thread::sleep_for(milliseconds(150));
            if (k % 4 == 3) {  // bytes in flight are lost
                relay.hold();
                std::this_thread::sleep_for(milliseconds(100));
                relay.release();
            } else {
                relay.cut();
            }
        }
    });
    exchange(*first, *second, 500, milliseconds(4));
}

TEST(WideLinkTest, a_site_that_leaves_has_sent_everything) {
    TwoSites sites;
    auto [first, second] = sites.open();
    first->send(1, Bytes(3'000'000));
    first->send(2, Bytes(5));
    first->close();
    EXPECT_EQ(second->receive(2).size(), 5U);
    EXPECT_TRUE(second->has(1));
    EXPECT_EQ(second->receive(1).size(), 3'000'000U);
    EXPECT_EQ(message_of<RunError>([&] { second->receive(1); }),
              "the site " + sites.name(0) + " has left, and sends no more");
    EXPECT_NE(message_of<RunError>([&] { second->take(7); }), "");
    EXPECT_NE(message_of<RunError>([&] { second->has(7); }), "");
    EXPECT_NE(message_of<RunError>([&] { second->send(1, {}); }), "");
    second->close();
    EXPECT_EQ(message_of<RunError>([&] { second->send(1, {}); }),
              "the link to the site " + sites.name(0) + " is closed");
}

TEST(WideLinkTest, a_silent_site_is_lost_after_the_grace) {
    TwoSites sites;
    Relay<Tcp> relay(Tcp::endpoint(asio::ip::make_address("127.0.0.1"), 0), sites.endpoint(0));
    sites.connect_by(1, relay.endpoint().port());
    sites.settings(1).grace = milliseconds(1500);
    const auto [first, second] = sites.open();
    relay.hold();
    EXPECT_TRUE(message_of<RunError>([&] {
                    second->receive(1);
                }).starts_with("the site " + sites.name(0) + " is lost: silent for 1.5 s"));
}

// Handshakes and heartbeats arrive, so each connection looks alive.
TEST(WideLinkTest, a_network_that_loses_long_chunks_loses_the_site_after_the_grace) {
    TwoSites sites;
    Relay<Tcp> relay(Tcp::endpoint(asio::ip::make_address("127.0.0.1"), 0), sites.endpoint(0));
    sites.connect_by(1, relay.endpoint().port());
    for (int site : {0, 1}) sites.settings(site).grace = std::chrono::seconds(9);
    const auto [first, second] = sites.open();
    relay.lose_from(3000);
    const auto start = std::chrono::steady_clock::now();
    first->send(1, std::vector<std::byte>(100'000));
    EXPECT_NE(message_of<RunError>([&] { first->receive(1); }).find("what is sent has not arrived there for 9.0 s"),
              std::string::npos);
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(15));
}

TEST(WideLinkTest, a_site_that_ends_without_a_close_notice_is_lost_within_ten_seconds) {
    TwoSites sites;
    auto [first, second] = sites.open();
    first->send(1, Bytes(10));
    EXPECT_EQ(second->receive(1).size(), 10U);
    const auto begin = Clock::now();
    first.reset();
    EXPECT_TRUE(
        message_of<RunError>([&] { second->receive(1); }).starts_with("the site " + sites.name(0) + " is lost: "));
    EXPECT_LT(Clock::now() - begin, seconds(10));
}

TEST(WideLinkTest, a_site_that_is_restarted_ends_its_links) {
    TwoSites sites;
    auto [first, second] = sites.open();
    first.reset();
    auto restarted = std::async(std::launch::async, [&] {
        sites.settings(0).wait = seconds(1);
        return message_of<RunError>([&] { sites.open(0); });
    });
    EXPECT_EQ(message_of<RunError>([&] { second->receive(1); }),
              "the site " + sites.name(0) + " is lost: it was restarted");
    EXPECT_TRUE(restarted.get().starts_with("after 1.0 s this site still waits for " + sites.name(1)));
}

TEST(WideLinkTest, it_names_the_sites_that_are_missing) {
    TwoSites sites;
    std::string reported;
    sites.settings(1).waiting = [&](const std::string& sentence) { reported = sentence; };
    sites.settings(1).wait = milliseconds(700);
    EXPECT_TRUE(message_of<RunError>([&] {
                    sites.open(1);
                }).starts_with("after 0.7 s this site still waits for " + sites.name(0) + " (no server listens at "));
    EXPECT_TRUE(reported.starts_with("waiting for " + sites.name(0)));
}

TEST(WideLinkTest, impossible_settings_are_refused) {
    EXPECT_EQ(site_named({"a:1", "b:2", "b:3"}, "a"), 0U);
    EXPECT_EQ(site_named({"a:1", "b:2", "b:3"}, "b:3"), 2U);
    EXPECT_EQ(message_of([] { site_named({"a:1", "b:2", "b:3"}, "b"); }),
              "there is no site 'b' in the ring, or several: allowed are a:1, b:2, b:3");
    LinkSettings settings;
    settings.ring = {"a:1", "a:1"};
    EXPECT_EQ(message_of([&] { open_links(settings); }), "the ring names a:1 twice");
    settings.ring = {"a:1", "b:1"};
    settings.site = 2;
    EXPECT_EQ(message_of([&] { open_links(settings); }), "site is 2: allowed is 0 to 1");
    settings.site = 0;
    settings.choices[1].streams = 65;
    EXPECT_EQ(message_of([&] { open_links(settings); }), "streams of a link is 65: allowed is 1 to 64");
}

}  // namespace trellis::wide_link_test
