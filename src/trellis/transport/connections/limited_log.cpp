#include "trellis/transport/connections/limited_log.hpp"

#include "trellis/transport/connections/peer_address.hpp"

namespace trellis {

namespace {

constexpr std::chrono::seconds between_lines{1};
constexpr std::size_t most_addresses = 1024;

}  // namespace

void LimitedLog::note(const std::string& event, const std::string& peer, Facts more_facts) {
    Facts facts{{"peer", peer}};
    facts.insert(facts.end(), more_facts.begin(), more_facts.end());
    const bool many = waiting_.size() >= most_addresses;
    Waiting& waiting = waiting_[{event, many ? "others" : without_port(peer)}];
    waiting.facts = std::move(facts);
    ++waiting.count;
    const auto now = Clock::now();
    if (now - waiting.last_line >= between_lines) write(event, waiting, now);
    write_later();
}

void LimitedLog::write(const std::string& event, Waiting& waiting, Clock::time_point now) {
    if (waiting.count > 1) waiting.facts.emplace_back("count", std::to_string(waiting.count));
    waiting.last_line = now;
    waiting.count = 0;
    log_(event, std::exchange(waiting.facts, {}));
}

void LimitedLog::flush() {
    for (auto& [key, waiting] : waiting_)
        if (waiting.count > 0) write(key.first, waiting, Clock::now());
}

// Writes the lines that are due once a second, and forgets addresses without an event since their last line.
void LimitedLog::write_later() {
    if (timer_runs_) return;
    timer_runs_ = true;
    timer_.expires_after(between_lines);
    timer_.async_wait([weak = weak_from_this()](const asio::error_code& stopped) {
        const auto self = weak.lock();
        if (self == nullptr || stopped) return;
        self->timer_runs_ = false;
        const auto now = Clock::now();
        std::erase_if(self->waiting_, [&](const auto& each) {
            return each.second.count == 0 && now - each.second.last_line >= between_lines;
        });
        for (auto& [key, waiting] : self->waiting_)
            if (waiting.count > 0 && now - waiting.last_line >= between_lines) self->write(key.first, waiting, now);
        if (!self->waiting_.empty()) self->write_later();
    });
}

}  // namespace trellis
