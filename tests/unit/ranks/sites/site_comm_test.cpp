#include "trellis/ranks/sites/site_comm.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <numeric>
#include <stdexcept>
#include <string>
#include <thread>

#include "trellis/base/error.hpp"
#include "trellis/ranks/comm/deferred_gather.hpp"
#include "trellis/ranks/comm/traffic_scope.hpp"
#include "unit/error_message.hpp"
#include "unit/ranks/comm/comm_checks.hpp"
#include "unit/ranks/sites/site_ranks.hpp"

namespace trellis::site_comm_test {

using checks::failures_of_sites;
using checks::memory_links;
using checks::MemoryLink;
using checks::names_of_sites;
using checks::run_sites;

class RanksOfSites : public testing::TestWithParam<std::vector<int>> {};

TEST_P(RanksOfSites, AreTheRanksOfOneRunSiteBySite) {
    std::vector<std::atomic<int>> seen(10);
    run_sites(GetParam(), [&](SiteComm& comm) {
        EXPECT_EQ(comm.size(), std::accumulate(GetParam().begin(), GetParam().end(), 0));
        EXPECT_EQ(comm.site_begins().size(), GetParam().size());
        EXPECT_EQ(comm.sites().site_of(comm.rank()), comm.sites().own);
        ++seen[static_cast<std::size_t>(comm.rank())];
    });
    for (int rank = 0; rank < std::accumulate(GetParam().begin(), GetParam().end(), 0); ++rank)
        EXPECT_EQ(seen[static_cast<std::size_t>(rank)], 1);
}

TEST_P(RanksOfSites, ExchangeMessagesAsAnyRanksDo) { run_sites(GetParam(), check_comm); }

TEST_P(RanksOfSites, FinishLargeExchangesByProgressAlone) {
    run_sites(GetParam(), check_progress_completes_large_exchange);
}

// Parts of one site, without its gateway as well, and parts across all sites without their gateways.
TEST_P(RanksOfSites, FormPartsOfOneSiteAndOfSeveral) {
    run_sites(GetParam(), [](SiteComm& comm) {
        const auto begins = comm.site_begins();
        const std::size_t site = comm.sites().site_of(comm.rank());
        const int own = comm.rank() - begins[site];
        const auto of_site = comm.split(static_cast<int>(site)), across = comm.split(own);
        EXPECT_EQ(of_site->rank(), own);
        EXPECT_EQ(across->size(), std::ranges::count_if(comm.sites().begins, [&](int begin) {
                      const auto next = std::ranges::upper_bound(comm.sites().begins, begin);
                      return next != comm.sites().begins.end() && own < *next - begin;
                  }));
        check_messages(*of_site);
        check_messages(*across);
        check_messages(*of_site->split(own == 0 ? 0 : 1));
    });
}

// Exchanges under way at the same time take one hop to the other sites, and those that wait for each other one each.
TEST_P(RanksOfSites, CountHopsOnTheCriticalPath) {
    const std::uint64_t wide = GetParam().size() > 1 ? 1 : 0;
    run_sites(GetParam(), [&](SiteComm& comm) {
        EXPECT_EQ(comm.wide_traffic().critical_path_hops, 0U);
        const auto one = comm.begin_exchange({}), another = comm.begin_exchange({});
        one->finish();
        another->finish();
        EXPECT_EQ(comm.wide_traffic().critical_path_hops, wide);
        all_gather(comm, comm.rank());
        EXPECT_EQ(comm.wide_traffic().critical_path_hops, 2 * wide);
    });
}

// One batch to each other site: a message that is equal for all of its ranks stands there once, and messages within the
// site do not travel.
TEST_P(RanksOfSites, SendOneBatchToEachOtherSite) {
    run_sites(GetParam(), [&](SiteComm& comm) {
        const auto others = comm.sites().size() - 1;
        const bool gateway = comm.rank() == comm.sites().gateway();
        const WideTraffic before = comm.wide_traffic();
        std::vector<Message> messages;
        for (int rank = 0; rank < comm.size(); ++rank)
            messages.push_back({rank, noise(1, comm.sites().site_of(rank) == comm.sites().own ? 100'000 : 100)});
        comm.begin_exchange(std::move(messages))->finish();
        EXPECT_EQ(comm.wide_traffic().all().messages - before.all().messages, gateway ? others : 0);
        const auto own = comm.sites().begins[comm.sites().own + 1] - comm.sites().gateway();
        const auto receivers = static_cast<std::uint64_t>(own * (comm.size() - own));
        const auto once = static_cast<std::uint64_t>(own) * others;
        EXPECT_EQ(comm.wide_traffic().all().bytes - before.all().bytes,
                  gateway ? once * (100 + 20) + receivers * 4 + others * 8 : 0);
    });
}

INSTANTIATE_TEST_SUITE_P(Of, RanksOfSites,
                         testing::Values(std::vector{1, 1}, std::vector{2, 2}, std::vector{2, 2, 2},
                                         std::vector{1, 3, 2}, std::vector{3}),
                         [](const auto& sites) {
                             std::string name;
                             for (const int ranks : sites.param) name += "_" + std::to_string(ranks);
                             return name;
                         });

// Packets between two sites by way of the third one: their own link carries nothing. memory: of each link.
void exchange_by_way_of_a_third_site(std::size_t memory) {
    const auto names = names_of_sites(3);
    auto links = memory_links(names, memory);
    std::vector<std::jthread> sites;
    for (std::size_t site = 0; site < 3; ++site)
        sites.emplace_back([&, site] {
            Sites of{names, site};
            if (site != 1) of.relays = {{2 - site, 1}};
            const auto direct = links[site][2 - site];
            const auto comm = SiteComm::join(serial_comm(), links[site], of);
            check_messages(*comm);
            for (int k = 0; k < 3; ++k) all_gather(*comm, comm->rank());
            if (site != 1) {
                EXPECT_EQ(std::dynamic_pointer_cast<MemoryLink>(direct)->sent(), 1U);  // of the start
            }
            comm->close();
        });
}

TEST(RanksOfSites, ExchangeMessagesByWayOfAThirdSite) { exchange_by_way_of_a_third_site(checks::all_memory); }

// Links that are full as soon as they carry a packet: the third site has all of its packets before the last that it
// relays.
TEST(RanksOfSites, AreRelayedUntilAllHaveReceivedTheirMessages) {
    for (int k = 0; k < 20; ++k) exchange_by_way_of_a_third_site(1);
}

// Links that are full as soon as they carry a packet: sites that all send must receive meanwhile.
TEST(RanksOfSites, ReceiveWhileTheySend) {
    run_sites(
        {1, 2, 1},
        [](SiteComm& comm) {
            std::vector<std::unique_ptr<Exchange>> exchanges;
            for (std::uint64_t round = 0; round < 5; ++round) {
                std::vector<Message> messages;
                for (int rank = 0; rank < comm.size(); ++rank) messages.push_back({rank, noise(round, 10'000)});
                exchanges.push_back(comm.begin_exchange(std::move(messages)));
            }
            for (std::uint64_t round = 0; round < 5; ++round)
                for (const Message& message : exchanges[round]->finish())
                    EXPECT_EQ(message.bytes, noise(round, 10'000));
        },
        {}, 1);
}

// The messages of an exchange count for the class that was set when it was begun.
TEST(RanksOfSites, CountMessagesByTheirClass) {
    run_sites({2, 1}, [](SiteComm& comm) {
        std::unique_ptr<Exchange> trees;
        {
            const TrafficScope part(comm, TrafficClass::trees);
            trees = comm.begin_exchange({{2 - comm.rank(), noise(1, 1000)}});
        }
        {
            const TrafficScope part(comm, TrafficClass::samples);
            all_gather(comm, comm.rank());
        }
        trees->finish();
        const WideTraffic& sent = comm.wide_traffic();
        const bool gateway = comm.rank() != 1;
        EXPECT_EQ(sent.of(TrafficClass::trees).bytes >= 1000, gateway);
        EXPECT_EQ(sent.of(TrafficClass::trees).messages, gateway ? 1U : 0U);
        EXPECT_EQ(sent.of(TrafficClass::samples).messages, gateway ? 1U : 0U);
        EXPECT_LT(sent.of(TrafficClass::samples).bytes, 100U);
        EXPECT_EQ(sent.all().bytes, sent.of(TrafficClass::trees).bytes + sent.of(TrafficClass::samples).bytes);
        EXPECT_EQ(comm.wide_traffic().of(TrafficClass::migration).bytes, 0U);
    });
}

// The values travel with the next exchange, whose messages they are not; without one, collect makes an exchange.
TEST_P(RanksOfSites, CollectDeferredGathersWithTheNextExchange) {
    run_sites(GetParam(), [](SiteComm& comm) {
        const auto gather = comm.make_deferred_gather(), another = comm.make_deferred_gather();
        for (std::uint64_t round = 0; round < 3; ++round) {
            const auto own = [&](int rank, std::uint64_t of) {
                return noise(10 * of + static_cast<std::uint64_t>(rank), 9);
            };
            gather->post(own(comm.rank(), round));
            EXPECT_TRUE(gather->pending());
            if (round == 0) another->post(own(comm.rank(), round));  // the same bytes
            const std::uint64_t messages = comm.wide_traffic().all().messages;
            if (round < 2) {
                const auto some = comm.begin_exchange({{comm.size() - 1, noise(7, 5)}})->finish();
                EXPECT_EQ(some.size(), comm.rank() == comm.size() - 1 ? static_cast<std::size_t>(comm.size()) : 0U);
            }
            const auto received = gather->collect();
            const bool gateway = comm.rank() == comm.sites().gateway();
            EXPECT_EQ(comm.wide_traffic().all().messages - messages, gateway ? comm.sites().size() - 1 : 0U);
            ASSERT_EQ(received.size(), static_cast<std::size_t>(comm.size()));
            for (int rank = 0; rank < comm.size(); ++rank)
                EXPECT_EQ(received[static_cast<std::size_t>(rank)], (Message{rank, own(rank, round)}));
        }
        EXPECT_EQ(another->collect().size(), static_cast<std::size_t>(comm.size()));
    });
}

// Over links with a delay: work that takes longer hides the messages.
TEST(RanksOfSites, CountHopsThatNoWorkHides) {
    constexpr std::chrono::milliseconds a_while(40);
    run_sites(
        {2, 1},
        [&](SiteComm& comm) {
            const bool receives = comm.rank() != 1;  // a gateway
            all_gather(comm, 0);
            EXPECT_EQ(comm.wide_traffic().visible, receives ? 1U : 0U);
            const auto exchange = comm.begin_exchange({}), another = comm.begin_exchange({});
            for (const auto end = std::chrono::steady_clock::now() + 4 * a_while;
                 std::chrono::steady_clock::now() < end;)
                exchange->progress();
            exchange->finish();
            another->finish();
            EXPECT_EQ(comm.wide_traffic().visible, receives ? 1U : 0U);
        },
        {}, checks::all_memory, a_while);
}

// While the messages of the second site are under way, the first one works, and then waits.
TEST(RanksOfSites, CountSecondsOfWaitingAndOfHidingWork) {
    constexpr double a_while = 0.2;
    const auto sleep = [&] { std::this_thread::sleep_for(std::chrono::duration<double>(a_while)); };
    std::atomic<bool> has_worked = false;
    run_sites({1, 1}, [&](SiteComm& comm) {
        const WideTraffic before = comm.wide_traffic();
        if (comm.rank() == 1) {
            has_worked.wait(false);
            sleep();
            comm.begin_exchange({})->finish();
            return;
        }
        const auto exchange = comm.begin_exchange({});
        exchange->progress();
        sleep();
        const double hidden_at_least = 0.9 * a_while, waiting_at_least = 0.25 * a_while;
        has_worked = true;
        has_worked.notify_all();
        exchange->finish();
        EXPECT_GE(comm.wide_traffic().hidden - before.hidden, hidden_at_least);
        EXPECT_GE(comm.wide_traffic().all().waiting - before.all().waiting, waiting_at_least);
    });
}

std::string message_in(const std::exception_ptr& failure) {
    if (!failure) return "";
    return message_of<std::exception>([&] { std::rethrow_exception(failure); });
}

// A gateway or another rank fails while the others wait in any call.
TEST(RanksOfSites, AreNotifiedWhichSiteHasFailed) {
    for (const int failing : {2, 3}) {
        std::atomic<int> stopped = 0;
        const auto failures = failures_of_sites({2, 2, 2}, [&](SiteComm& comm) {
            if (comm.rank() == failing) {
                comm.all_gather({});
                throw std::out_of_range("rank's own message");
            }
            try {
                comm.all_gather({});
                if (comm.rank() % 3 == 0) comm.all_gather({});
                if (comm.rank() % 3 == 1) comm.receive(failing);
                for (;;) comm.begin_exchange({})->finish();
            } catch (const RunError& error) {
                ++stopped;
                throw;
            }
        });
        EXPECT_EQ(stopped, 5);
        EXPECT_EQ(message_in(failures[1]), "rank's own message");
        for (const std::size_t site : {0, 2})
            EXPECT_TRUE(message_in(failures[site]).starts_with("the site tokyo has ended the run: "))
                << message_in(failures[site]);
    }
}

TEST(RanksOfSites, AreNotifiedWhyASiteAborts) {
    for (const int aborting : {0, 1}) {
        const auto failures = failures_of_sites({2, 1}, [&](SiteComm& comm) {
            if (comm.rank() == aborting) comm.abort("the sea is too rough", 1);
            comm.receive(aborting);
        });
        EXPECT_EQ(message_in(failures[0]), "the sea is too rough");
        const std::string received =
            message_in(failures[1]);  // whether the message of a rank reaches its own gateway first is chance
        EXPECT_TRUE(received.starts_with("the site amsterdam has ended the run: ")) << received;
        if (aborting == 0) {
            EXPECT_TRUE(received.ends_with("the sea is too rough")) << received;
        }
    }
}

// No call waits for a packet; the one that says why the run ends is read all the same.
TEST(RanksOfSites, FindInAnUnreadPacketWhyASiteHasEnded) {
    const auto failures = failures_of_sites({1, 1}, [](SiteComm& comm) {
        if (comm.rank() == 0) comm.abort("the sea is too rough", 1);
        const auto latest = std::chrono::steady_clock::now() + std::chrono::seconds(20);
        while (std::chrono::steady_clock::now() < latest) comm.move_along();
        FAIL() << "the end was not found";
    });
    EXPECT_EQ(message_in(failures[1]), "the site amsterdam has ended the run: the sea is too rough");
}

}  // namespace trellis::site_comm_test
