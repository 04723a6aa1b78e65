#include "trellis/run/step_forces.hpp"

#include <algorithm>
#include <new>
#include <string>

#include "trellis/base/error.hpp"
#include "trellis/base/parallel.hpp"
#include "trellis/forces/checks.hpp"
#include "trellis/forces/external/mutual_acceleration.hpp"

namespace trellis {

namespace {

// Results may have come from a file; those that no force computes must neither kick nor count in the energy.
void clear_results(ParticleSet& particles) {
    for (const char* name : {Acceleration::name, Potential::name, ExternalPotential::name, MutualAcceleration::name}) {
        if (!particles.has(name)) continue;
        Column& column = particles.column(name);
        std::fill_n(column.values(), particles.size() * column.info().components, 0.0);
    }
}

// Forces of which none reads masses are divided by them as well.
void check_masses(const ParticleSet& particles) {
    particles.check_finite(Mass::name);
    check_not_negative(particles, Mass::name);
}

[[noreturn]] void throw_out_of_memory(const Domains& domains, const Phases& phases) {
    const std::string machine = domains.alone() ? "this machine" : "rank " + std::to_string(domains.comm().rank());
    throw RunError(machine + " ran out of memory in the phase '" +
                   std::string(phase_names[static_cast<std::size_t>(phases.last())]) + "'");
}

}  // namespace

std::vector<std::string> StepForces::add(std::shared_ptr<Force> force, ParticleSet& particles) {
    std::vector<std::string> changed = force->checkpoint_columns();
    for (const FieldInfo& field : force->results()) changed.push_back(field.name);
    forces_.add(std::move(force));
    if (mutual_is_apart(all())) {
        if (!particles.has(MutualAcceleration::name)) particles.add(MutualAcceleration{});
        changed.emplace_back(MutualAcceleration::name);
    }
    for (const std::string& name : changed) before_.add(name);
    return changed;
}

void StepForces::compute(ParticleSet& particles, const ForceStep& step, std::uint64_t number, bool known,
                         Domains& domains, Phases& phases) {
    if (!known) check_masses(particles);
    while (true) {
        try {
            if (attempt(particles, step, number, known, domains, phases)) break;
        } catch (const DeviceError&) {
            if (!spares_.replace(forces_.failed(), all(), domains.comm())) throw;
        } catch (const std::bad_alloc&) {
            throw_out_of_memory(domains, phases);
        }
    }
    rearranged_.reset();
}

void StepForces::compute_in_place(ParticleSet& particles, const ForceStep& step, std::uint64_t number, Domains& domains,
                                  Phases& phases) {
    rearranged_ = true;
    compute(particles, step, number, true, domains, phases);
}

// Returns false if the forces must be computed again. Then, and after an exception, the columns are as before, and rows
// are not arranged again, so that the next attempt finds the same values.
bool StepForces::attempt(ParticleSet& particles, ForceStep step, std::uint64_t number, bool known, Domains& domains,
                         Phases& phases) {
    step.repeated = rearranged_.has_value();
    if (!rearranged_) rearranged_ = rows_.arrange(particles, all(), domains, number, step.may_reuse, phases);
    step.may_reuse = step.may_reuse && !*rearranged_;
    step.ranks = domains.ranks();
    if (!known) clear_results(particles);
    const bool save = may_fail_after_writing(domains);
    if (save) before_.save(particles);
    try {
        if (compute_all(particles, step, number, known, domains, phases)) return true;
    } catch (...) {
        if (save) before_.restore(particles);
        throw;
    }
    if (save) before_.restore(particles);
    return false;
}

// The same on all ranks: several ranks all repeat a step that fails on one, whether they have a device or not.
bool StepForces::may_fail_after_writing(const Domains& domains) const {
    return !domains.alone() ||
           std::ranges::any_of(all(), [](const auto& force) { return force->may_fail_after_writing(); });
}

// The relative criterion needs the last acceleration, which is unknown at first: then a rough force is computed before.
// In a periodic box, where forces cancel, a second one is less rough. Returns false if the forces must be computed
// again.
bool StepForces::compute_all(ParticleSet& particles, ForceStep step, std::uint64_t number, bool known, Domains& domains,
                             Phases& phases) {
    const bool relative =
        std::ranges::any_of(all(), [](const auto& force) { return force->uses_previous_acceleration(); });
    const auto compute = [&] { return forces_.compute(particles, step, number, domains.comm(), phases); };
    if (relative && !known) {
        if (!compute()) return false;
        if (particles.region().periodic()) {
            step.previous = accelerations_of(particles);
            if (!compute()) return false;
        }
    }
    if (relative) step.previous = accelerations_of(particles);
    if (!compute()) return false;
    domains.note_costs(forces_.costs());
    domains.check_arrival();
    return true;
}

std::span<const double> StepForces::accelerations_of(const ParticleSet& particles) {
    previous_.resize(particles.size());
    const MutualAccelerations a(particles);
    parallel_for(previous_.size(), [&](std::size_t k) { previous_[k] = a.magnitude(k); });
    return previous_;
}

}  // namespace trellis
