#include "trellis/integrate/nose_hoover.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>

#include "trellis/base/error.hpp"
#include "trellis/base/parallel.hpp"
#include "trellis/ranks/comm/exact_sum.hpp"

namespace trellis {

using namespace fields;

namespace {

// Shares of a step that make a second-order scheme one of fourth order (Yoshida 1990, Suzuki 1991).
const double outer_share = 1 / (2 - std::cbrt(2.0));
const double shares[] = {outer_share, 1 - 2 * outer_share, outer_share};

}  // namespace

NoseHoover::NoseHoover(double temperature, double relaxation_time, std::size_t length, int conserved)
    : temperature_(temperature),
      relaxation_time_(relaxation_time),
      conserved_(conserved),
      position_(length, 0.0),
      rate_(length, 0.0) {
    const auto check = [](const char* what, double value) {
        if (!(value > 0 && std::isfinite(value)))
            throw InputError(std::string(what) + " of a thermostat is " + to_text(value) + ": allowed is above 0");
    };
    check("the temperature", temperature);
    check("the relaxation time", relaxation_time);
    if (length < 1) throw InputError("the chain of a thermostat has 0 members: allowed is 1 or more");
    if (conserved < 0 || conserved > 3)
        throw InputError("a thermostat is told of " + std::to_string(conserved) +
                         " conserved components of momentum: allowed is 0 to 3");
}

void NoseHoover::act(ParticleSet& particles, double time, std::uint64_t /*calls*/, Comm& comm) {
    const auto v = particles[velocity];
    const auto m = particles[mass];
    const auto count = all_reduce(comm, static_cast<double>(particles.size()), std::plus{});
    freedom_ = 3 * count - conserved_;
    if (!(freedom_ > 0))
        throw InputError("a thermostat has " + to_text(count) + " particles, with no degree of freedom but those of " +
                         std::to_string(conserved_) + " conserved components of momentum");
    const double kinetic = exact_sum(comm, particles.size(), [&](std::size_t k) { return m[k] * dot(v[k], v[k]); }) / 2;
    if (!std::isfinite(kinetic)) throw RunError("a thermostat met a particle whose mass or velocity cannot be used");
    const double factor = advance(time, kinetic);
    if (!std::isfinite(factor))
        throw RunError("a chain of thermostats ran away: the particles are too far from its temperature, " +
                       to_text(temperature_) + ", for a relaxation time of " + to_text(relaxation_time_) +
                       " in steps of " + to_text(2 * time));
    parallel_for(particles.size(), [&](std::size_t k) { v[k] *= factor; });
}

double NoseHoover::inertia(std::size_t k) const {
    return (k == 0 ? freedom_ : 1) * temperature_ * relaxation_time_ * relaxation_time_;
}

// The time derivative of member k's rate, without the friction that the next member exerts.
double NoseHoover::pull(std::size_t k, double kinetic) const {
    const double excess =
        k == 0 ? 2 * kinetic - freedom_ * temperature_ : inertia(k - 1) * rate_[k - 1] * rate_[k - 1] - temperature_;
    return excess / inertia(k);
}

// Advances the chain, and returns the factor by which velocities are to be scaled.
double NoseHoover::advance(double time, double kinetic) {
    double factor = 1;
    const auto accelerate = [&](std::size_t k, double step) {
        const double friction = k + 1 < rate_.size() ? std::exp(-0.25 * step * rate_[k + 1]) : 1;
        rate_[k] = (rate_[k] * friction + 0.5 * step * pull(k, factor * factor * kinetic)) * friction;
    };
    for (const double share : shares) {
        const double step = share * time;
        for (std::size_t k = rate_.size(); k-- > 0;) accelerate(k, step);
        factor *= std::exp(-step * rate_[0]);
        for (std::size_t k = 0; k < rate_.size(); ++k) position_[k] += step * rate_[k];
        for (std::size_t k = 0; k < rate_.size(); ++k) accelerate(k, step);
    }
    return factor;
}

double NoseHoover::bath_energy() const {
    double energy = 0;
    for (std::size_t k = 0; k < rate_.size(); ++k)
        energy += 0.5 * inertia(k) * rate_[k] * rate_[k] + (k == 0 ? freedom_ : 1) * temperature_ * position_[k];
    return energy;
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
