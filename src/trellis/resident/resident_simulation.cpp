#include "trellis/resident/resident_simulation.hpp"

#include <algorithm>
#include <utility>

#include "trellis/devices/cpu_device.hpp"
#include "trellis/forces/gravity/gravity_force.hpp"
#include "trellis/particles/checksum.hpp"
#include "trellis/particles/image.hpp"
#include "trellis/particles/motion.hpp"
#include "trellis/resident/resident_short_range.hpp"
#include "trellis/resident/resident_tree_force.hpp"

namespace trellis {

namespace {

// Sets or checks the field softening of the particles, and returns them.
ParticleSet& softened(ParticleSet& particles, const SofteningOfEach& softening) {
    const SofteningField softenings(softening);
    softenings.attach(particles);
    softenings.renew(particles, 0);
    return particles;
}

std::unique_ptr<const ResidentModel> model_of(const ResidentGravity& gravity, const ForceSettings& settings) {
    return std::make_unique<ResidentGravityModel>(gravity, settings);
}

// Adds the columns of the force to the particles, and returns them.
ParticleSet& with_columns(ParticleSet& particles, const ShortRangeForce& force) {
    force.add_columns(particles);
    return particles;
}

void refuse_fixed(const ParticleSet& particles) {
    if (fixed_count(particles) > 0)
        throw InputError(
            "particles are fixed, but those that stay on a device all move: allowed is fixed = 0, or resident = false");
}

}  // namespace

ResidentSimulation::ResidentSimulation(const ParticleSet& particles, double softening, double G,
                                       const ForceSettings& settings, double timestep, std::shared_ptr<Device> device,
                                       std::shared_ptr<SpareDevices> spares)
    : ResidentSimulation(particles, model_of(checked_gravity(softening, G), settings), timestep, std::move(device),
                         std::move(spares)) {}

ResidentSimulation::ResidentSimulation(ParticleSet& particles, const SofteningOfEach& softening, double G,
                                       const ForceSettings& settings, double timestep, std::shared_ptr<Device> device,
                                       std::shared_ptr<SpareDevices> spares)
    : ResidentSimulation(softened(particles, softening), model_of(checked_gravity_between_softenings(G), settings),
                         timestep, std::move(device), std::move(spares)) {}

ResidentSimulation::ResidentSimulation(ParticleSet& particles, const std::shared_ptr<const ShortRangeForce>& force,
                                       double timestep, std::shared_ptr<Device> device,
                                       std::shared_ptr<SpareDevices> spares)
    : ResidentSimulation(with_columns(particles, *force), std::make_unique<ResidentShortRangeModel>(force), timestep,
                         std::move(device), std::move(spares)) {}

ResidentSimulation::ResidentSimulation(const ParticleSet& particles, std::unique_ptr<const ResidentModel> model,
                                       double timestep, std::shared_ptr<Device> device,
                                       std::shared_ptr<SpareDevices> spares)
    : model_(std::move(model)),
      region_(particles.region()),
      timestep_(timestep),
      device_(std::move(device)),
      steps_(steps_of(particles)),
      spares_(std::move(spares)) {
    refuse_fixed(particles);
    const auto state = [&] { return SavedSteps{.particles = copy_of_resident(particles, model_->constants())}; };
    if (spares_ != nullptr) log_ = std::make_unique<ReplayLog<SavedSteps, Call>>(state(), state());
    note(particles);
}

std::unique_ptr<ResidentSteps> ResidentSimulation::steps_of(const ParticleSet& particles) const {
    auto steps = std::make_unique<ResidentSteps>(particles, *model_, timestep_, device_);
    for (const auto& field : fields_) steps->add_external(field);
    return steps;
}

void ResidentSimulation::add_external(std::shared_ptr<const ExternalField> field) {
    if (region_.periodic())
        throw InputError(
            "an external field is given in a periodic box, where particles that stay on a device have none: allowed is"
            " resident = false");
    steps_->add_external(field);
    fields_.push_back(std::move(field));
}

void ResidentSimulation::set_time(double time) {
    origin_ = time;
    steps_->set_time(time);
    if (log_) log_->state().time = time;
}

void ResidentSimulation::resume(double time, std::uint64_t step_count, const ParticleSet& particles) {
    const auto state = [&] {
        return SavedSteps{copy_of_resident(particles, model_->constants()), time, step_count, {}, true};
    };
    if (log_) log_ = std::make_unique<ReplayLog<SavedSteps, Call>>(state(), state());
    carry_out([&](ResidentSteps& steps) { steps.resume(time, step_count, particles); });
    note(particles);
}

void ResidentSimulation::step(double end) {
    on_host_ = false;
    advance([end](ResidentSteps& steps) { steps.step(end); });
}

void ResidentSimulation::compute_forces() {
    advance([](ResidentSteps& steps) { steps.compute_forces(); });
}

void ResidentSimulation::ensure_forces() {
    advance([](ResidentSteps& steps) { steps.ensure_forces(); });
}

void ResidentSimulation::forces_changed() {
    advance([](ResidentSteps& steps) { steps.forces_changed(); });
}

bool ResidentSimulation::take_changes(const ParticleSet& particles) {
    refuse_fixed(particles);
    std::vector<std::string> changed;
    for (const Noted& column : noted_)
        if ((on_host_ || !column.moves) && checksum(particles.column(column.name)) != column.checksum)
            changed.push_back(column.name);
    if (particles.has(Image::name) && std::ranges::find(noted_, Image::name, &Noted::name) == noted_.end())
        changed.emplace_back(Image::name);  // counted from now on
    if (particles.region() != region_)
        throw InputError("the box of particles that stay on a device was changed: allowed is the one they began with");
    if (changed.empty()) return false;
    for (const std::string& name : changed) particles.check_finite(name);
    model_->check(particles);
    const auto values = std::make_shared<const ParticleSet>(copy_of_resident(particles, model_->constants()));
    advance([values, changed](ResidentSteps& steps) { steps.take(*values, changed); });
    note(particles);
    return true;
}

void ResidentSimulation::note(const ParticleSet& particles) {
    noted_.clear();
    const auto note = [&](const std::string& name, bool moves) {
        if (particles.has(name) && std::ranges::find(noted_, name, &Noted::name) == noted_.end())
            noted_.push_back({name, checksum(particles.column(name)), moves});
    };
    for (const char* name : {Position::name, Velocity::name, Image::name}) note(name, true);
    for (const char* name : {Mass::name, SofteningLength::name}) note(name, false);
    for (const std::string& name : model_->constants()) note(name, false);
}

// Carries out a call that changes the particles, and records it, to be repeated.
void ResidentSimulation::advance(Call call) {
    saving_time_.begin_work();
    carry_out(call);
    saving_time_.end_work();
    if (!log_) return;
    log_->record(std::move(call));
    save_when_due();
}

// The memory on a lost device, which may be one of a pair, is released before another device is tried.
void ResidentSimulation::carry_out(const Call& call) {
    if (failure_) throw DeviceError(*failure_);
    while (true) {
        try {
            if (steps_ == nullptr) repeat_since_saved();
            return call(*steps_);
        } catch (const DeviceError& failure) {
            device_ = device_after(failure);
            steps_ = nullptr;
        }
    }
}

void ResidentSimulation::repeat_since_saved() {
    std::unique_ptr<ResidentSteps> steps = steps_of(log_->state().particles);
    steps->set_time(origin_);
    steps->resume(log_->state());
    for (const Call& call : log_->calls()) call(*steps);
    steps_ = std::move(steps);
}

// The device that replaces the failed one: the rest of a pair, or else a spare. Throws the failure if there is neither.
std::shared_ptr<Device> ResidentSimulation::device_after(const DeviceError& failure) {
    if (spares_ == nullptr) throw DeviceError(failure_.emplace(failure));
    if (std::shared_ptr<Device> rest = device_->successor(failure.device()); rest != nullptr && rest != device_) {
        spares_->note(std::string(failure.what()) + ": its work goes to " + rest->name());
        return rest;
    }
    const auto spare = spares_->in_place_of(failure.device());
    if (!spare) throw DeviceError(failure_.emplace(failure));
    return spare->device != nullptr ? spare->device : threads_as_device();
}

void ResidentSimulation::save_when_due() {
    if (!saving_time_.due()) return;
    saving_time_.save([&] {
        try {
            log_->save([&](SavedSteps& to) { steps_->save(to); });
        } catch (const DeviceError&) {
            return;  // the next call fails, too
        }
    });
}

void ResidentSimulation::download(ParticleSet& particles) {
    carry_out([&](ResidentSteps& steps) { steps.download(particles); });
    note(particles);
    on_host_ = true;
}

void ResidentSimulation::save(ParticleSet& particles) {
    carry_out([&](ResidentSteps& steps) { steps.save(particles); });
    note(particles);
    on_host_ = true;
}

std::vector<std::string> ResidentSimulation::take_device_notes() {
    return spares_ == nullptr ? std::vector<std::string>() : spares_->take_notes();
}

const Phases& ResidentSimulation::phases() {
    carry_out([](ResidentSteps& steps) { steps.phases(); });
    return steps_->phases();
}

const QueueTimes& ResidentSimulation::device_times() {
    carry_out([](ResidentSteps& steps) { steps.device_times(); });
    return steps_->device_times();
}

}  // namespace trellis
