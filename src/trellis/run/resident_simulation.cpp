#include "trellis/run/resident_simulation.hpp"

#include <cmath>
#include <utility>

#include "trellis/base/error.hpp"
#include "trellis/forces/gravity_force.hpp"
#include "trellis/forces/gravity_kernel.hpp"
#include "trellis/forces/resident/kernels.hpp"
#include "trellis/integrate/leapfrog_kernels.hpp"

namespace trellis {

namespace {

// Rows are numbered in 32 bits: those of the particles, and those of at most twice as many cells.
constexpr std::size_t most_particles = std::size_t{1} << 30;

// Throws InputError for what cannot be used; gives back the device.
std::shared_ptr<Device> after_checks(std::shared_ptr<Device> device, const ParticleSet& particles,
                                     const ForceSettings& settings, double timestep) {
    if (particles.size() > most_particles)
        throw InputError("the particles are " + std::to_string(particles.size()) +
                         ": a simulation on a device takes at most " + std::to_string(most_particles));
    check_open(particles);
    check_columns(TRELLIS_VARIANT(gravity_kernels)(), particles);
    particles.check_finite(Velocity::name);
    if (settings.tune_sizes)
        throw InputError("tune_sizes is on, but particles that stay on a device take no trial steps: allowed is off");
    if (settings.send == Send::particles)
        throw InputError("send is particles, but particles that stay on a device are not sent: allowed is indices");
    if (!(timestep > 0 && std::isfinite(timestep)))
        throw InputError("timestep is " + to_text(timestep) + ": allowed is above 0");
    return device;
}

KernelPhases all_phases() {
    KernelPhases phases = resident_kernel_phases();
    LeapfrogKernels::add_phases(phases);
    return phases;
}

}  // namespace

ResidentSimulation::ResidentSimulation(const ParticleSet& particles, double softening, double g,
                                       const ForceSettings& settings, double timestep, std::shared_ptr<Device> device,
                                       double time)
    : device_(after_checks(std::move(device), particles, settings, timestep)),
      queue_(device_->make_queue()),
      phases_of_kernels_(all_phases()),
      columns_(device_, *queue_, particles),
      force_(device_, *queue_, columns_, checked_gravity(softening, g), settings),
      timestep_(timestep),
      time_(time) {
    register_leapfrog_kernels();
}

// Memory goes only when the device is done with it.
ResidentSimulation::~ResidentSimulation() { queue_->settle(); }

void ResidentSimulation::resume(const ParticleSet& particles, std::uint64_t step_count) {
    force_.recall_lists(particles);
    columns_.upload(particles);
    step_count_ = step_count;
    forces_known_ = true;
}

void ResidentSimulation::step() {
    queue_->wait(stepped_);
    ensure_forces();
    const std::size_t size = columns_.size();
    launch_grid(*queue_, Kick{0.5 * timestep_}, size, columns_.acceleration(), columns_.velocity());
    launch_grid(*queue_, Drift{timestep_}, size, columns_.velocity(), columns_.position());
    ++step_count_;
    update_forces();
    launch_grid(*queue_, Kick{0.5 * timestep_}, size, columns_.acceleration(), columns_.velocity());
    queue_->flush();
    stepped_ = queue_->mark();
    time_ += timestep_;
}

void ResidentSimulation::run_until(double end) {
    while (time_ < end - 1e-9 * timestep_) step();
}

void ResidentSimulation::ensure_forces() {
    if (forces_known_) return;
    const bool relative = force_.choice().criterion == Criterion::relative;
    // A criterion relative to the last acceleration has none to go by at first: then a rough force comes before.
    if (relative) force_.construct(false);
    force_.construct(relative);
    ++list_use_.constructions;
    forces_known_ = true;
}

void ResidentSimulation::update_forces() {
    if (step_count_ % force_.choice().reuse_steps != 0 && force_.has_lists()) {
        if (force_.reuse()) {
            ++list_use_.reuses;
            return;
        }
        ++list_use_.early;
    }
    force_.construct(force_.choice().criterion == Criterion::relative);
    ++list_use_.constructions;
}

void ResidentSimulation::download(ParticleSet& particles) {
    force_.check();
    columns_.download(particles);
}

void ResidentSimulation::save(ParticleSet& particles) {
    force_.check();
    columns_.save(particles);
}

ResidentTimes ResidentSimulation::take_times() {
    queue_->wait();
    ResidentTimes times{{}, queue_->take_times()};
    for (const auto& [kernel, seconds] : times.device.kernels) times.phases.add(phases_of_kernels_.at(kernel), seconds);
    return times;
}

}  // namespace trellis
