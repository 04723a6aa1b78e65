#include "trellis/run/all_forces.hpp"

#include <algorithm>

#include "trellis/base/parallel.hpp"
#include "trellis/forces/device_failure.hpp"
#include "trellis/ranks/comm/collective.hpp"

namespace trellis {

void AllForces::compute(ParticleSet& particles, const ForceStep& step, std::uint64_t number, Comm& comm,
                        Phases& phases) {
    dispatched_.clear();
    failed_.clear();
    failure_ = nullptr;
    dispatch(particles, step, number, phases);  // trees, lists, local essential trees
    clear_results(particles);
    retrieve(particles, phases);  // interactions
    add_up(comm);
}

// If the device of one force fails, the others still exchange what other ranks wait for.
void AllForces::dispatch(ParticleSet& particles, const ForceStep& step, std::uint64_t number, Phases& phases) {
    for (const auto& force : forces_) {
        ForceStep now = step;
        now.may_reuse = step.may_reuse && number % force->reuse_steps() != 0;
        const auto failure = device_failure_of([&] { force->dispatch(particles, now, phases); });
        note(*force, failure);
        if (failure == nullptr) dispatched_.push_back(force.get());
    }
}

void AllForces::clear_results(ParticleSet& particles) const {
    for (const auto& force : forces_)
        for (const FieldInfo& field : force->results()) {
            double* values = particles.column(field.name).values();
            parallel_for(particles.size() * field.components, [&](std::size_t k) { values[k] = 0; });
        }
}

void AllForces::retrieve(ParticleSet& particles, Phases& phases) {
    work_ = {};
    for (Force* force : dispatched_)
        note(*force, device_failure_of([&] { work_ += force->retrieve(particles, phases); }));
}

void AllForces::note(Force& force, const std::exception_ptr& failure) {
    if (failure == nullptr) return;
    try {
        std::rethrow_exception(failure);
    } catch (const DeviceError& error) {
        failed_.push_back({&force, error.device(), error.what()});
    }
    if (failure_ == nullptr) failure_ = failure;
}

// Adds up the work of all ranks. If a device of any rank has failed, all throw: none has forces.
void AllForces::add_up(Comm& comm) {
    struct Outcome {
        Work work;
        int first_failed;
    };
    Outcome all{work_, failed_rank(comm, failure_)};
    if (comm.size() > 1)
        all = all_reduce(comm, all, [](Outcome a, const Outcome& b) {
            return Outcome{a.work += b.work, std::min(a.first_failed, b.first_failed)};
        });
    throw_failure(comm, failure_, all.first_failed);
    total_work_ = all.work;
}

}  // namespace trellis
