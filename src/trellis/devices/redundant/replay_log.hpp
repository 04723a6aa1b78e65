// A saved state and the calls since then, from which another device continues when one fails.
#pragma once

#include <deque>
#include <utility>

namespace trellis {

// Repeating the calls from the state leads to the present state, with the same bits. See saving_time.hpp for when to
// save.
template <class State, class Call>
class ReplayLog {
  public:
    // room: another state of the same size, to save into.
    ReplayLog(State state, State room) : state_(std::move(state)), room_(std::move(room)) {}

    const State& state() const { return state_; }
    State& state() { return state_; }
    // Memory for a state that is downloaded before save is called.
    State& room() { return room_; }

    // Since the state was saved, in order; their addresses do not change.
    const std::deque<Call>& calls() const { return calls_; }
    const Call& record(Call call) { return calls_.emplace_back(std::move(call)); }
    // Without the calls the state can no longer be continued from: for devices that cannot fail.
    void forget_calls() { calls_.clear(); }

    // download(State&) downloads the present state into room(), or completes that. It becomes the saved state, and the
    // calls are forgotten. If download throws, since the device has failed, state and calls stay as they are.
    template <class Download>
    void save(Download&& download) {
        std::forward<Download>(download)(room_);
        std::swap(state_, room_);
        calls_.clear();
    }

  private:
    State state_, room_;
    std::deque<Call> calls_;
};

}  // namespace trellis
