#include "trellis/integrate/thermostats/nose_hoover.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "trellis/base/error.hpp"
#include "trellis/integrate/thermostats/own_motion.hpp"

namespace trellis {

NoseHoover::NoseHoover(double temperature, double relaxation_time, std::size_t length, Axes axes)
    : temperature_(temperature),
      relaxation_time_(relaxation_time),
      axes_(axes),
      position_(length, 0.0),
      rate_(length, 0.0) {
    const auto check = [](const char* what, double value) {
        if (!(value > 0 && std::isfinite(value)))
            throw InputError(std::string(what) + " of a thermostat is " + to_text(value) + ": allowed is above 0");
    };
    check("the temperature", temperature);
    check("the relaxation time", relaxation_time);
    if (length < 1) throw InputError("the chain of a thermostat has 0 members: allowed is 1 or more");
}

void NoseHoover::check(const ParticleSet& particles, Comm& /*comm*/) const { refuse_chain(particles.region()); }

void NoseHoover::act(ParticleSet& particles, double time, std::uint64_t /*calls*/, Comm& comm) {
    const OwnMotion motion = own_motion(particles, comm, axes_);
    freedom_ = motion.freedom;
    const double factor = chain().advance(time, motion.kinetic);
    if (!std::isfinite(factor))
        throw RunError("a chain of thermostats ran away: the particles are too far from its temperature, " +
                       to_text(temperature_) + ", for a relaxation time of " + to_text(relaxation_time_) +
                       " in steps of " + to_text(2 * time));
    scale_own_motion(particles, motion, factor);
}

std::vector<double> NoseHoover::state() const {
    std::vector<double> numbers{freedom_};
    numbers.insert(numbers.end(), position_.begin(), position_.end());
    numbers.insert(numbers.end(), rate_.begin(), rate_.end());
    return numbers;
}

void NoseHoover::restore(std::span<const double> state) {
    const std::size_t length = rate_.size();
    if (state.size() != 1 + 2 * length)
        throw InputError("the state of a Nose-Hoover thermostat has " + std::to_string(state.size()) +
                         " numbers, but with a chain of " + std::to_string(length) + " must have " +
                         std::to_string(1 + 2 * length));
    freedom_ = state[0];
    std::ranges::copy(state.subspan(1, length), position_.begin());
    std::ranges::copy(state.subspan(1 + length), rate_.begin());
}

}  // namespace trellis
