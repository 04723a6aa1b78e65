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
        throw InputError("the conserved components of momentum are " + std::to_string(conserved) +
                         ": allowed is 0 to 3");
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
    if (!std::isfinite(kinetic))
        throw RunError("a thermostat cannot act: masses must be above 0 and finite, velocities finite");
    const double factor = chain().advance(time, kinetic);
    if (!std::isfinite(factor))
        throw RunError("a chain of thermostats ran away: the particles are too far from its temperature, " +
                       to_text(temperature_) + ", for a relaxation time of " + to_text(relaxation_time_) +
                       " in steps of " + to_text(2 * time));
    parallel_for(particles.size(), [&](std::size_t k) { v[k] *= factor; });
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
