#include "trellis/resident/resident_steps.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "trellis/base/error.hpp"
#include "trellis/forces/external/built_in_fields.hpp"
#include "trellis/resident/kernels/kernels.hpp"
#include "trellis/resident/kernels/leapfrog_kernels.hpp"

namespace trellis {

namespace {

// Rows are numbered in 32 bits: one for each particle, and one for each cell, at most twice the number of particles.
constexpr std::size_t most_particles = std::size_t{1} << 30;

// Returns the device. Throws InputError for particles or a step that cannot be used.
std::shared_ptr<Device> after_checks(std::shared_ptr<Device> device, const ParticleSet& particles,
                                     const ResidentModel& model, double timestep) {
    if (particles.size() > most_particles)
        throw InputError("the particles are " + std::to_string(particles.size()) +
                         ": a simulation on a device takes at most " + std::to_string(most_particles));
    model.check(particles);
    particles.check_finite(Velocity::name);
    if (!(timestep > 0 && std::isfinite(timestep)))
        throw InputError("timestep is " + to_text(timestep) + ": allowed is above 0");
    return device;
}

KernelPhases phases_with(const ResidentModel& model) {
    KernelPhases phases = resident_kernel_phases();
    LeapfrogKernels::add_phases(phases);
    model.add_phases(phases);
    return phases;
}

}  // namespace

ResidentSteps::ResidentSteps(const ParticleSet& particles, const ResidentModel& model, double timestep,
                             std::shared_ptr<Device> device)
    : device_(after_checks(std::move(device), particles, model, timestep)),
      queue_(device_->make_queue()),
      phases_of_kernels_(phases_with(model)),
      columns_(device_, *queue_, particles, model.softenings_differ()),
      force_(model.make(device_, *queue_, columns_, particles)),
      constants_(model.constants()),
      timestep_(timestep) {
    register_leapfrog_kernels();
}

// Waits until the device no longer uses the memory that is about to be released.
ResidentSteps::~ResidentSteps() { queue_->settle(); }

void ResidentSteps::add_external(std::shared_ptr<const ExternalField> field) {
    TRELLIS_CALL_FOR_GPUS(register_built_in_fields());
    phases_of_kernels_.emplace(field->kernel(), Phase::force_kernel);
    force_->add(std::move(field));
    forces_known_ = false;
}

void ResidentSteps::resume(double time, std::uint64_t step_count, const ParticleSet& particles) {
    force_->take_constants(particles);
    force_->recall_lists(particles);
    columns_.upload(particles);
    time_ = time;
    step_count_ = step_count;
    forces_known_ = true;
}

void ResidentSteps::resume(const SavedSteps& saved) {
    if (saved.forces_known) resume(saved.time, saved.step_count, saved.particles);
    time_ = saved.time;
    step_count_ = saved.step_count;
    list_use_ = saved.list_use;
}

void ResidentSteps::step(double end) {
    ensure_forces();
    reset_times();
    const StepLength next = fixed_step(time_, timestep_, time_after(time_, timestep_, origin_, step_count_ + 1), end);
    const std::size_t size = columns_.size();
    const auto half_kick = [&] {
        launch_grid(*queue_, Kick{0.5 * next.length}, size, columns_.acceleration(), force_->state(),
                    columns_.velocity());
    };
    half_kick();
    launch_grid(*queue_, Drift{next.length}, size, columns_.velocity(), columns_.position());
    ++step_count_;
    update_forces(next.end, half_kick);
    time_ = next.end;
}

// The relative criterion needs the last acceleration, which is unknown at first: then a rough force is computed before.
void ResidentSteps::compute_forces() {
    const bool relative = force_->uses_accelerations();
    if (relative && !forces_known_) force_->construct(false, time_, [] {});
    construct(relative, time_, [] {});
    forces_known_ = true;
}

void ResidentSteps::ensure_forces() {
    if (!forces_known_) compute_forces();
}

void ResidentSteps::update_forces(double time, const ResidentForce::Then& then) {
    if (step_count_ % force_->reuse_steps() != 0 && force_->has_lists()) {
        if (force_->reuse(time, then)) {
            ++list_use_.reuses;
            return;
        }
        ++list_use_.early;
    }
    construct(force_->uses_accelerations(), time, then);
}

void ResidentSteps::construct(bool by_acceleration, double time, const ResidentForce::Then& then) {
    force_->construct(by_acceleration, time, then);
    ++list_use_.constructions;
}

// Rows stay in their order on the device, since lists refer to it.
void ResidentSteps::take(const ParticleSet& particles, std::span<const std::string> columns) {
    ParticleSet now = copy_of_resident(particles, constants_);
    save(now);
    for (const std::string& name : columns) {
        const Column& from = particles.column(name);
        std::copy_n(from.values(), from.size() * from.info().components, now.column(name).values());
    }
    force_->take_constants(now);
    columns_.upload(now);
    forces_known_ =
        forces_known_ && std::ranges::all_of(columns, [](const std::string& name) { return name == Velocity::name; });
    ensure_forces();
}

void ResidentSteps::download(ParticleSet& particles) {
    force_->check();
    columns_.download(particles);
    force_->write_known(particles);
}

void ResidentSteps::save(ParticleSet& particles) {
    force_->check();
    columns_.save(particles);
    force_->write_known(particles);
}

void ResidentSteps::save(SavedSteps& to) {
    save(to.particles);
    to.time = time_;
    to.step_count = step_count_;
    to.list_use = list_use_;
    to.forces_known = forces_known_;
}

const Phases& ResidentSteps::phases() {
    take_times();
    return phases_;
}

const QueueTimes& ResidentSteps::device_times() {
    take_times();
    return device_times_;
}

void ResidentSteps::take_times() {
    queue_->wait();
    const QueueTimes since = queue_->take_times();
    for (const auto& [kernel, seconds] : since.kernels) phases_.add(phases_of_kernels_.at(kernel), seconds);
    const Phases on_host = force_->take_host_times();
    for (std::size_t p = 0; p < phase_names.size(); ++p)
        phases_.add(static_cast<Phase>(p), on_host.seconds(static_cast<Phase>(p)));
    device_times_ += since;
    device_times_ += force_->take_other_times();
}

void ResidentSteps::reset_times() {
    queue_->take_times();
    force_->take_host_times();
    force_->take_other_times();
    phases_.reset();
    device_times_ = {};
}

}  // namespace trellis
