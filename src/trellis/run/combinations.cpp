#include "trellis/run/combinations.hpp"

#include <algorithm>
#include <string>

#include "trellis/base/error.hpp"
#include "trellis/forces/sph/kernels/fields.hpp"
#include "trellis/integrate/barostats/volume_moves.hpp"
#include "trellis/particles/motion.hpp"
#include "trellis/ranks/comm/collective.hpp"

namespace trellis {

namespace {

// By its results, since nothing of an isothermal gas evolves.
bool is_gas(const Force& force) {
    return std::ranges::any_of(force.results(), [](const FieldInfo& field) { return field.name == SignalSpeed::name; });
}

}  // namespace

void check_evolution(const Evolution& evolution, const ParticleSet& particles, const Force& force) {
    const FieldInfo &value = particles.column(evolution.value).info(), &rate = particles.column(evolution.rate).info();
    const bool same_kind = value.components == rate.components && !value.integer && !rate.integer;
    const auto results = force.results();
    if (!same_kind || std::ranges::none_of(results, [&](const FieldInfo& field) { return field.name == rate.name; }))
        throw InputError("'" + value.name + "' cannot evolve by '" + rate.name +
                         "': allowed is a result of the force, a number of as many components");
}

void check_can_be_scaled(const ParticleSet& particles, Comm& comm) {
    check_has_volume(particles.region());
    check_barostat(!any_rank(comm, fixed_count(particles) > 0),
                   "particles are fixed, whose positions it would scale: allowed is fixed = 0");
}

// Forces without any results limit steps alone.
void check_barostat_with(const Force& force) {
    const auto results = force.results();
    const auto is_potential = [](const FieldInfo& field) { return field.name == Potential::name; };
    const bool has_one = std::ranges::any_of(results, is_potential) && !is_gas(force);  // which may correct potentials
    check_barostat(results.empty() || (force.evolves().empty() && has_one),
                   "a force has no potential between particles: allowed are forces that have one, and no gas or "
                   "external field");
}

void refuse_thermostat_in_expansion() {
    throw InputError("a thermostat is given, but space expands: allowed is no thermostat");
}

void refuse_order_4_in_expansion() { throw InputError("order is 4, but space expands: allowed is order 2"); }

void check_expansion_with(const Force& force) {
    if (!force.evolves().empty())
        throw InputError("'" + force.evolves().front().value +
                         "' evolves, but space expands: allowed are forces that change velocities alone");
    if (is_gas(force)) throw InputError("a gas is given, but space expands: allowed are forces that are no gas");
}

}  // namespace trellis
