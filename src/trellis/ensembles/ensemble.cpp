#include "trellis/ensembles/ensemble.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "trellis/base/error.hpp"
#include "trellis/devices/cpu_device.hpp"
#include "trellis/devices/message_batch.hpp"
#include "trellis/ensembles/provide_systems.hpp"
#include "trellis/ensembles/topology/topology_kernels.hpp"
#include "trellis/forces/bonded/bonded_force.hpp"
#include "trellis/integrate/step_too_long.hpp"

namespace trellis {

namespace {

void check_count(const char* what, std::size_t given, std::size_t systems) {
    if (given != systems)
        throw InputError(std::string(what) + " are " + std::to_string(given) + ": allowed is one for each of the " +
                         std::to_string(systems) + " systems");
}

// A region scaled to these sides.
Region region_of(Region region, const Vec3<double>& sides) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const double factor = sides[axis] / (region.high[axis] - region.low[axis]);
        region.low[axis] *= factor;
        region.high[axis] = region.low[axis] + sides[axis];
    }
    return region;
}

// Returns the given devices, or the threads of this process as a device.
Devices or_threads(const Devices& devices) { return devices.none() ? Devices(threads_as_device()) : devices; }

// Throws RunError for a tuple whose energy or force is not finite. particles: those of the system, with any masses.
void check_tuples(const Topology& topology, ParticleSet& particles, const std::string& which) {
    std::ranges::fill(particles[fields::mass], 1.0);
    try {
        for (const TuplePotential& potential : topology.potentials) {
            BondedForce force(potential);
            Phases phases;
            force.attach(particles, 0);
            force.dispatch(particles, {}, phases);
            force.retrieve(particles, phases);
        }
    } catch (const InputError& error) {
        throw RunError(which + ": " + error.what());
    }
}

}  // namespace

Ensemble::Ensemble(const SystemKernels& kernels, std::span<const std::byte> interactions,
                   std::span<const ParticleSet* const> particles, std::span<const SystemSettings> settings,
                   const Devices& devices)
    : table_(make_system_table(kernels, interactions, particles, settings)),
      devices_(or_threads(devices)),
      may_fail_(!devices.none()) {
    provide_systems(kernels);
    distribute(make_systems(table_, particles, settings));
}

void Ensemble::use(const Devices& devices) {
    const EnsembleState now = state();
    devices_ = or_threads(devices);
    may_fail_ = !devices.none();
    distribute(now);
}

void Ensemble::set_spares(std::shared_ptr<SpareDevices> spares) {
    spares_ = std::move(spares);
    scheduler_->set_spares(spares_);
}

std::vector<std::string> Ensemble::take_device_notes() { return spares_->take_notes(); }

void Ensemble::distribute(const EnsembleState& state) {
    changes_ = state.changes;
    steps_.clear();
    for (const System& system : state.systems) steps_.push_back(system.steps);
    scheduler_ = std::make_unique<EnsembleScheduler>(table_, state, devices_, may_fail_, parts_a_device_);
    scheduler_->set_spares(spares_);
}

void Ensemble::divide(std::size_t parts_a_device) {
    if (parts_a_device < 1) throw InputError("the parts for each device are 0: allowed is 1 or more");
    if (parts_a_device == parts_a_device_) return;
    parts_a_device_ = parts_a_device;
    const EnsembleState now = state();
    devices_ = scheduler_->devices();
    distribute(now);
}

std::vector<SystemEnergies> Ensemble::advance(std::uint64_t steps, std::uint64_t every) {
    begin_all({steps, every});
    std::vector<SystemEnergies> energies(steps / every * size());
    finish_all(steps, {.sampled = energies, .in_all = in_all_, .volumes = volumes_});
    note_potentials({0, size()}, std::span(energies).last(size()));
    check_finite(energies, 0);
    check_volumes(volumes_, 0);
    scheduler_->save_when_due({0, parts()});
    return energies;
}

std::vector<float> Ensemble::advance_potentials(std::uint64_t steps, std::uint64_t every) {
    begin_all({steps, every, true});
    std::vector<float> potentials(steps / every * size());
    finish_all(steps, {.potentials = potentials, .volumes = volumes_});
    for (std::size_t k = 0; k < potentials.size(); ++k)
        if (!std::isfinite(potentials[k])) throw_broken(k / (steps / every));
    check_volumes(volumes_, 0);
    scheduler_->save_when_due({0, parts()});
    return potentials;
}

// Returns while the devices compute, so that memory for the energies is made meanwhile.
void Ensemble::begin_all(const StepsCall& call) {
    if (call.steps < 1) throw InputError("steps is 0: allowed is 1 or more");
    if (call.every < 1 || call.steps % call.every != 0)
        throw InputError("every is " + std::to_string(call.every) + ": allowed are divisors of steps, " +
                         std::to_string(call.steps));
    {
        const MessageBatch together;
        for (std::size_t part = 0; part < parts(); ++part) scheduler_->begin(part, call, changes_);
    }
    volumes_.resize(table_.volumes ? call.steps / call.every * size() : 0);
}

void Ensemble::finish_all(std::uint64_t steps, const CallEnergies& energies) {
    scheduler_->finish_all(energies);
    count({0, size()}, steps);
}

void Ensemble::begin(std::size_t part, std::uint64_t steps) {
    scheduler_->begin(part, {steps, steps}, changes_);
    under_way_.resize(parts());
    under_way_[part] = steps;
}

bool Ensemble::finish(std::size_t part, std::span<SystemEnergies> energies) {
    const SystemRange systems = systems_of(part);
    const std::uint64_t steps = under_way_[part];
    volumes_.resize(table_.volumes ? size() : 0);
    if (!scheduler_->finish(part, {.sampled = energies, .in_all = in_all_, .volumes = volumes_})) {
        under_way_.resize(parts(), steps);
        return false;
    }
    note_potentials(systems, energies);
    count(systems, steps);
    check_finite(energies.subspan(systems.begin, systems.count()), systems.begin);
    if (table_.volumes) check_volumes(std::span(volumes_).subspan(systems.begin, systems.count()), systems.begin);
    scheduler_->save_when_due({part, part + 1});
    return true;
}

void Ensemble::evaluate_in_all() {
    check_all_hamiltonians(table_, scheduler_->systems());
    table_.in_all = hamiltonians() > 1;
    in_all_.resize(size() * hamiltonians());
}

// With one Hamiltonian, its potential energies are those of the samples. last: the energies of all systems.
void Ensemble::note_potentials(SystemRange systems, std::span<const SystemEnergies> last) {
    if (table_.in_all || in_all_.empty()) return;
    for (std::size_t k = systems.begin; k < systems.end; ++k) in_all_[k] = last[k].potential;
}

// Counts `steps` steps of the systems; the changes before these steps have been made.
void Ensemble::count(SystemRange systems, std::uint64_t steps) {
    for (std::size_t k = systems.begin; k < systems.end; ++k) {
        steps_[k] += steps;
        changes_[k].velocity_factor = 1;
    }
}

// energies: sample by sample those of all systems, or of those from first_system on.
void Ensemble::check_finite(std::span<const SystemEnergies> energies, std::size_t first_system) {
    for (std::size_t k = 0; k < energies.size(); ++k)
        if (!std::isfinite(energies[k].potential + energies[k].kinetic + energies[k].bath))
            throw_broken((first_system + k) % size());
}

// A tuple that is not finite is named, else the particle whose step was too long, where one was.
void Ensemble::throw_broken(std::size_t system) {
    using namespace fields;
    const EnsembleState now = state();
    const System& of = now.systems[system];
    const std::string which = "system " + std::to_string(system);
    if (of.too_long == 0)
        throw RunError("the energy of " + which +
                       " is not finite: particles may have come too near each other, or its time step is too long");
    ParticleSet particles(of.count);
    Region region;
    for (std::size_t axis = 0; axis < 3; ++axis)
        if (of.box[axis] > 0) region.low[axis] = 0, region.high[axis] = of.box[axis];
    particles.set_region(region);
    std::copy_n(table_.ids.begin() + static_cast<std::ptrdiff_t>(of.first), of.count, particles[id].begin());
    copy(now, system, particles);
    const double range = table_.kernels.cutoff(table_.interaction(of.hamiltonian));
    const auto begin = static_cast<double>(of.too_long - 1) * of.timestep;
    const auto is_bad = [&](const Vec3<double>& a) { return step_is_too_long(dot(a, a), of.timestep, range); };
    const auto row = std::ranges::find_if(particles[acceleration], is_bad) - particles[acceleration].begin();
    const Topology* const topology = topology_of(table_.kernels, table_.interaction(of.hamiltonian));
    if (topology != nullptr) check_tuples(*topology, particles, which);
    throw RunError(which + ": " + sentence_of({begin, of.timestep, range, static_cast<std::size_t>(row)}, particles));
}

// volumes: as for check_finite.
void Ensemble::check_volumes(std::span<const double> volumes, std::size_t first_system) const {
    for (std::size_t k = 0; k < volumes.size(); ++k)
        if (!std::isfinite(volumes[k]))
            throw RunError("the box of system " + std::to_string((first_system + k) % size()) +
                           " would have become shorter than two cutoffs: at this pressure it needs more particles, or"
                           " a shorter cutoff");
}

void Ensemble::set_temperatures(std::span<const double> temperatures) {
    check_count("the temperatures", temperatures.size(), size());
    for (std::size_t k = 0; k < size(); ++k) {
        const double least =
            scheduler_->systems()[k].bath == Bath::nose_hoover ? std::numeric_limits<double>::min() : 0;
        if (!(temperatures[k] >= least && std::isfinite(temperatures[k])))
            throw InputError("the temperature of system " + std::to_string(k) + " is " + to_text(temperatures[k]) +
                             ": allowed is " + (least > 0 ? "above 0" : "0 or more"));
    }
    for (std::size_t k = 0; k < size(); ++k) changes_[k].temperature = temperatures[k];
}

std::vector<double> Ensemble::temperatures() const {
    std::vector<double> all;
    all.reserve(size());
    for (const SystemChange& change : changes_) all.push_back(change.temperature);
    return all;
}

void Ensemble::scale_velocities(std::span<const double> factors) {
    check_count("the factors of velocities", factors.size(), size());
    for (const double factor : factors)
        if (!std::isfinite(factor))
            throw InputError("a factor of velocities is " + to_text(factor) + ": allowed are finite numbers");
    for (std::size_t k = 0; k < size(); ++k) changes_[k].velocity_factor *= factors[k];
}

void Ensemble::change(std::size_t system, const SystemChange& change) {
    changes_[system].temperature = change.temperature;
    changes_[system].velocity_factor *= change.velocity_factor;
    changes_[system].hamiltonian = change.hamiltonian;
    changes_[system].pressure = change.pressure;
}

EnsembleState Ensemble::state() {
    EnsembleState now = scheduler_->fetch();
    now.changes = changes_;
    return now;
}

// Throws InputError unless the state has `systems` systems, the same as the first ones of this ensemble.
void Ensemble::check_first(const EnsembleState& state, std::size_t systems) const {
    const auto same = [](const System& a, const System& b) {
        return a.first == b.first && a.count == b.count && a.slots == b.slots && a.bath == b.bath && a.chain == b.chain;
    };
    const auto known = [&](const SystemChange& each) { return each.hamiltonian < hamiltonians(); };
    std::size_t slots = 0;
    for (const System& system : state.systems) slots += system.slots;
    if (state.systems.size() != systems || state.changes.size() != systems || systems > size() ||
        state.columns.size() != slots * system_columns::changing ||
        !std::ranges::equal(state.systems, std::span(scheduler_->systems()).first(systems), same) ||
        !std::ranges::all_of(state.changes, known))
        throw InputError(
            "a state of other systems cannot be restored: allowed is one of an ensemble of the same systems");
}

void Ensemble::restore(const EnsembleState& state) {
    check_first(state, size());
    devices_ = scheduler_->devices();
    distribute(state);
}

void Ensemble::restore_first(const EnsembleState& state, std::span<const std::size_t> hamiltonians) {
    check_first(state, state.systems.size());
    const auto number_here = [&](std::uint64_t number) {
        if (number >= hamiltonians.size() || hamiltonians[number] >= this->hamiltonians())
            throw InputError("a state has the Hamiltonian " + std::to_string(number) + ", which this ensemble lacks");
        return hamiltonians[number];
    };
    EnsembleState now = this->state();
    for (std::size_t k = 0; k < state.systems.size(); ++k) {
        now.systems[k] = state.systems[k];
        now.changes[k] = state.changes[k];
        now.systems[k].hamiltonian = number_here(state.systems[k].hamiltonian);
        now.changes[k].hamiltonian = number_here(state.changes[k].hamiltonian);
    }
    const std::size_t slots = state.columns.size() / system_columns::changing;
    for (std::size_t c = 0; c < system_columns::changing; ++c)
        std::copy_n(state.columns.begin() + static_cast<std::ptrdiff_t>(c * slots), slots,
                    now.columns.begin() + static_cast<std::ptrdiff_t>(c * table_.slots));
    devices_ = scheduler_->devices();
    distribute(now);
}

void Ensemble::copy(const EnsembleState& state, std::size_t system, ParticleSet& particles) const {
    using namespace fields;
    if (system >= size())
        throw InputError("there is no system " + std::to_string(system) + ": allowed is 0 to " +
                         std::to_string(size() - 1));
    const System& of = state.systems[system];
    check_count("the particles", particles.size(), of.count);
    const auto value = [&](std::size_t column, std::size_t k) {
        const double* values = state.columns.data() + column * table_.slots + of.first + k;
        return Vec3<double>{values[0], values[table_.slots], values[2 * table_.slots]};
    };
    for (std::size_t k = 0; k < of.count; ++k) {
        particles[position][k] = value(system_columns::position, k);
        particles[velocity][k] = state.changes[system].velocity_factor * value(system_columns::velocity, k);
        particles[acceleration][k] = value(system_columns::acceleration, k);
    }
    if (of.barostat.every > 0) particles.set_region(region_of(particles.region(), of.box));
    particles.wrap_positions();
}

}  // namespace trellis
