// A link between two sites, in two processes: the first site sends, the second one receives and prints what it measures
// as JSON. bench/goals/sites.py runs it over emulated links.
//
//     bench_wide_area --ring HOST:PORT,HOST:PORT --site 0|1 --what bulk|bursts --seconds 60
//
// Every message is compared with its expected content, so rates are of correct bytes, in order, each received once.
#include <chrono>
#include <cstring>
#include <thread>

#include "shared/options.hpp"
#include "trellis/transport/links/open_links.hpp"

namespace {

using Clock = std::chrono::steady_clock;
using trellis::Link;
using Bytes = std::vector<std::byte>;

constexpr trellis::LinkTag content = 1, reply = 2;

double seconds_since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

// Number and time of a message, then its pattern.
struct Head {
    std::uint64_t number;
    Clock::time_point sent;
};

const Bytes& pattern(std::size_t bytes) {
    static Bytes all;
    for (std::size_t k = all.size(); k < bytes; ++k) all.push_back(static_cast<std::byte>((k * 2654435761U) >> 16));
    return all;
}

Bytes message(std::uint64_t number, std::size_t bytes) {
    const Bytes& all = pattern(bytes + 256);
    const auto from = all.begin() + static_cast<std::ptrdiff_t>(number % 256);
    Bytes made(from, from + static_cast<std::ptrdiff_t>(bytes));
    const Head head{number, Clock::now()};
    std::memcpy(made.data(), &head, sizeof head);
    return made;
}

Head checked(const Bytes& got, std::uint64_t number) {
    Head head{};
    std::memcpy(&head, got.data(), sizeof head);
    const Bytes& all = pattern(got.size() + 256);
    if (head.number != number ||
        std::memcmp(got.data() + sizeof head, all.data() + number % 256 + sizeof head, got.size() - sizeof head) != 0)
        throw trellis::RunError("message " + std::to_string(number) + " is not what was sent");
    return head;
}

void send_bulk(Link& link, double seconds, std::size_t bytes) {
    const auto begin = Clock::now();
    std::uint64_t number = 0;
    for (; seconds_since(begin) < seconds; ++number) link.send(content, message(number, bytes));
    link.send(content, {});
}

// Prints the payload a second after the first `skip` seconds, and the longest pause.
void receive_bulk(Link& link, double skip) {
    Clock::time_point begin = Clock::now(), counted{}, last{};
    double bytes = 0, pause = 0;
    for (std::uint64_t number = 0;; ++number) {
        const Bytes got = link.receive(content);
        if (got.empty()) break;
        checked(got, number);
        const auto now = Clock::now();
        if (number > 0) pause = std::max(pause, std::chrono::duration<double>(now - last).count());
        if (counted == Clock::time_point{}) {
            if (seconds_since(begin) > skip) counted = now;
        } else {
            bytes += static_cast<double>(got.size());
        }
        last = now;
    }
    const double span = std::chrono::duration<double>(last - counted).count();
    std::printf("{\"mbit\": %.1f, \"seconds\": %.2f, \"pause\": %.2f, \"streams\": %zu}\n", 8e-6 * bytes / span, span,
                pause, link.traffic().streams);
}

void send_bursts(Link& link, double seconds, std::size_t bytes) {
    const auto begin = Clock::now();
    for (std::uint64_t number = 0; seconds_since(begin) < seconds; ++number) {
        const auto next = Clock::now() + std::chrono::seconds(2);
        link.send(content, message(number, bytes));
        link.receive(reply);
        std::this_thread::sleep_until(next);
    }
    link.send(content, {});
}

// Prints the mean and the longest time of a message from sending to arrival, without the first ten seconds.
void receive_bursts(Link& link, double skip) {
    const auto begin = Clock::now();
    double sum = 0, most = 0;
    int count = 0;
    for (std::uint64_t number = 0;; ++number) {
        const Bytes got = link.receive(content);
        if (got.empty()) break;
        const double taken = seconds_since(checked(got, number).sent);
        link.send(reply, {});
        if (seconds_since(begin) < skip) continue;
        sum += taken;
        most = std::max(most, taken);
        ++count;
    }
    std::printf("{\"mean\": %.3f, \"most\": %.3f, \"count\": %d, \"streams\": %zu}\n", sum / count, most, count,
                link.traffic().streams);
}

void run(const bench::Options& options) {
    trellis::LinkSettings settings;
    settings.ring = options.texts("ring");
    settings.site = options.integer("site");
    if (const std::size_t streams = options.integer("streams"); streams > 0)
        settings.choices[1 - settings.site].streams = streams;
    if (const auto pacing = options.numbers("pacing").at(0); pacing >= 0)
        settings.choices[1 - settings.site].pacing = static_cast<std::uint64_t>(pacing);
    settings.waiting = [](const std::string& sentence) { std::fprintf(stderr, "%s\n", sentence.c_str()); };
    const auto link = trellis::open_links(settings).at(1 - settings.site);
    const double seconds = options.numbers("seconds").at(0), skip = options.numbers("skip").at(0);
    const auto bytes = options.integer("bytes");
    const bool bulk = options.texts("what").at(0) == "bulk";
    pattern(bytes + 256);
    if (settings.site == 0) {
        if (bulk)
            send_bulk(*link, seconds, bytes);
        else
            send_bursts(*link, seconds, bytes);
    } else {
        if (bulk)
            receive_bulk(*link, skip);
        else
            receive_bursts(*link, skip);
    }
    const trellis::LinkTraffic traffic = link->traffic();
    std::fprintf(stderr, "site %zu: %zu streams, round trip %.3f s, can send %.1f Mbit/s\n", settings.site,
                 traffic.streams, traffic.round_trip, 8e-6 * traffic.rate);
    link->close();
}

}  // namespace

int main(int argc, char** argv) {
    return bench::run(argc, argv,
                      {{"ring", "", "HOST:PORT of both sites"},
                       {"site", "0", "number of this site: 0 sends, 1 receives"},
                       {"what", "bulk", "bulk: without pauses; bursts: a message every 2 s"},
                       {"seconds", "60", "duration in seconds"},
                       {"skip", "10", "seconds at the beginning that do not count"},
                       {"bytes", "16777216", "bytes of a message"},
                       {"streams", "0", "number of streams; 0: chosen by the link"},
                       {"pacing", "-1", "bytes a second of all streams; -1: chosen by the link, 0: no limit"}},
                      run);
}
