#include "trellis/integrate/rungs/level_forces.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "trellis/integrate/rungs/step_abandoned.hpp"

namespace trellis {

void LevelForces::gather_from_ranks(std::vector<Ball>& balls) {
    Comm& comm = ranks();
    if (comm.size() == 1) return;
    const auto own = std::as_bytes(std::span(balls));
    std::vector<Message> messages;
    messages.reserve(static_cast<std::size_t>(comm.size()));
    for (int to = 0; to < comm.size(); ++to) messages.push_back({to, {own.begin(), own.end()}});
    const auto bytes = joined_bytes(comm.begin_exchange(std::move(messages))->finish());
    balls.resize(bytes.size() / sizeof(Ball));
    std::ranges::copy(bytes, std::as_writable_bytes(std::span(balls)).begin());
}

LevelSize LevelForces::size_over_ranks(std::uint64_t here) {
    struct Answer {
        LevelSize size;
        bool abandoned;
    };
    const Answer own{{here, here, ranks().rank()}, asks_to_abandon()};
    const Answer all = all_reduce(ranks(), own, [](const Answer& a, const Answer& b) {
        const LevelSize& larger = b.size.most > a.size.most ? b.size : a.size;
        return Answer{{a.size.all + b.size.all, larger.most, larger.rank}, a.abandoned || b.abandoned};
    });
    if (all.abandoned) throw StepAbandoned();
    return all.size;
}

}  // namespace trellis
