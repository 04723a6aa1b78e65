// A level on one rank: the others send it their particles, and wait while it takes the steps of the level and of all
// deeper ones, for which it needs no message.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <vector>

#include "trellis/forces/device_failure.hpp"
#include "trellis/integrate/rungs/level.hpp"
#include "trellis/integrate/rungs/level_forces.hpp"
#include "trellis/integrate/rungs/step_abandoned.hpp"
#include "trellis/particles/particle_set.hpp"

namespace trellis {

class LevelOnOneRank {
  public:
    // The most particles that are sent to the rank with the most: that rank computes their forces in less time than the
    // messages of each step take.
    static constexpr std::uint64_t most_sent = 512;
    static bool suits(const LevelSize& size) { return size.all - size.most <= most_sent; }

    // Sends the particles of a level, all of which act on each other, to the rank with the most. Collective.
    LevelOnOneRank(const ParticleSet& all, const Level& level, LevelForces& forces);

    // On that rank calls steps(particles, level) with the particles of all ranks, while it is alone.
    template <class Steps>
    void take(Steps&& steps) {
        if (!here()) return;
        forces_.set_alone(true);
        try {
            failure_ = device_failure_of([&] { steps(particles_, joined_); });
        } catch (const StepAbandoned&) {
            abandoned_ = true;
        }
        forces_.set_alone(false);
    }

    // Sends all particles back to their rows. Collective. If a device failed in the steps, or the step is to be
    // abandoned, all ranks throw that, and the rows are as they were.
    void send_back(ParticleSet& all, Level& level);

  private:
    bool here() const { return forces_.ranks().rank() == rank_; }
    void join(const ParticleSet& all, const std::vector<Message>& messages);
    void throw_failure_of_any() const;

    LevelForces& forces_;
    int rank_;  // that has all
    ParticleSet particles_{0};
    Level joined_;
    struct Sender {
        int rank;
        std::size_t first, count;  // of its rows
    };
    std::vector<Sender> senders_;
    std::exception_ptr failure_;
    bool abandoned_ = false;
};

}  // namespace trellis
