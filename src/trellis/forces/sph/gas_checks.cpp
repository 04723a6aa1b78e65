#include "trellis/forces/sph/gas_checks.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <variant>

#include "trellis/base/error.hpp"
#include "trellis/forces/sph/kernels/fields.hpp"

namespace trellis {

using namespace fields;

namespace {

// Throws InputError naming the first row whose value is not allowed.
template <class F, class Allowed>
void check_rows(const ParticleSet& particles, F field, Allowed&& allowed, const char* range) {
    particles.check_finite(F::name);
    const auto values = particles[field];
    const auto wrong = std::ranges::find_if_not(values, allowed);
    if (wrong != values.end())
        throw InputError(std::string(F::name) + " of row " + std::to_string(wrong - values.begin()) + " is " +
                         to_text(*wrong) + ": allowed is " + range);
}

// Throws InputError if particles differ along an axis beyond the gas's dimensions, or if all particles of a gas have
// the same coordinate along one of its dimensions.
void check_flat(const ParticleSet& particles, const SphSettings& settings) {
    const int dimensions = settings.dimensions;
    const auto positions = particles[position];
    const auto flatter = std::array{"", " (along x alone: dimensions = 1)", " (in x and y alone: dimensions = 2)"};
    for (std::size_t axis = 0; axis < static_cast<std::size_t>(dimensions); ++axis) {
        const bool spread =
            static_cast<double>(positions.size()) <= settings.neighbours || particles.region().periodic(axis);
        if (!spread && std::ranges::all_of(positions, [&](const auto& at) { return at[axis] == positions[0][axis]; }))
            throw InputError(std::string("all particles are at one place along ") + "xyz"[axis] +
                             ", which is not allowed in a gas of " + std::to_string(dimensions) + " dimensions" +
                             flatter[axis]);
    }
    for (auto axis = static_cast<std::size_t>(dimensions); axis < 3; ++axis) {
        const std::string of_axis = std::string("along ") + "xyz"[axis];
        if (particles.region().periodic(axis))
            throw InputError("space is periodic " + of_axis +
                             ": allowed is that in the dimensions of the gas, which are " + std::to_string(dimensions));
        const auto off =
            std::ranges::find_if(positions, [&](const auto& at) { return at[axis] != positions[0][axis]; });
        if (off != positions.end())
            throw InputError("row " + std::to_string(off - positions.begin()) + " is not where row 0 is " + of_axis +
                             ": allowed is one place for all in a gas of " + std::to_string(dimensions) +
                             " dimensions");
    }
}

void check(const IdealGas& gas) {
    if (!(gas.gamma > 1 && std::isfinite(gas.gamma)))
        throw InputError("gamma is " + to_text(gas.gamma) + ": allowed is above 1");
}

void check(const IsothermalGas& gas) {
    if (!(gas.sound_speed > 0 && std::isfinite(gas.sound_speed)))
        throw InputError("sound_speed is " + to_text(gas.sound_speed) + ": allowed is above 0, and finite");
}

void check(const SelfGravity& gravity, int dimensions) {
    if (dimensions != 3)
        throw InputError("adaptive softening is for three dimensions: dimensions is " + std::to_string(dimensions));
    if (gravity.softening && !(*gravity.softening > 0 && std::isfinite(*gravity.softening)))
        throw InputError("softening is " + to_text(*gravity.softening) +
                         ": allowed is above 0 with adaptive softening");
    if (!(gravity.G > 0 && std::isfinite(gravity.G)))
        throw InputError("G is " + to_text(gravity.G) + ": allowed is above 0");
}

void check_softenings(const ParticleSet& particles) {
    if (!particles.has(SofteningLength::name))
        throw InputError(
            "adaptive softening is for gravity with the softening of each particle, but the particles "
            "have no field 'softening'");
    check_rows(particles, softening, [](double e) { return e > 0; }, "above 0 with adaptive softening");
}

}  // namespace

void check(const SphSettings& settings) {
    check(settings.search);
    if (!settings.search.exclude.empty()) throw InputError("exclude is given: a gas has no excluded pairs");
    if (settings.neighbours_device.count() > 1)
        throw InputError("neighbours_device is " + settings.neighbours_device.names() + ": allowed is one device");
    if (settings.dimensions < 1 || settings.dimensions > 3)
        throw InputError("dimensions is " + std::to_string(settings.dimensions) + ": allowed is 1, 2 or 3");
    std::visit([](const auto& gas) { check(gas); }, settings.gas);
    if (!(settings.conductivity >= 0 && std::isfinite(settings.conductivity)))
        throw InputError("conductivity is " + to_text(settings.conductivity) + ": allowed is 0 or more");
    if (settings.adaptive_softening) check(*settings.adaptive_softening, settings.dimensions);
    if (!(settings.courant > 0)) throw InputError("courant is " + to_text(settings.courant) + ": allowed is above 0");
    const double alpha = std::visit([](const auto& viscosity) { return viscosity.strength(); }, settings.viscosity);
    if (!(alpha >= 0 && std::isfinite(alpha)))
        throw InputError("the strength of the viscosity is " + to_text(alpha) + ": allowed is 0 or more");
}

void check_gas(const ParticleSet& particles, const SphSettings& settings, bool predicted) {
    check_rows(particles, mass, [](double m) { return m > 0; }, "above 0");
    if (!predicted && !isothermal(settings))
        check_rows(particles, internal_energy, [](double u) { return u >= 0; }, "0 or more");
    check_rows(particles, smoothing_length, [](double h) { return h >= 0; }, "0 or more");
    if (softens_each(settings)) check_softenings(particles);
    particles.check_finite(Position::name);
    check_flat(particles, settings);
}

}  // namespace trellis
