#include "trellis/forces/decorators/scheduled_force.hpp"

#include <algorithm>
#include <utility>

#include "trellis/base/error.hpp"

namespace trellis {

namespace {

ListUse sum(const ListUse& a, const ListUse& b) {
    return {a.constructions + b.constructions, a.early + b.early, a.reuses + b.reuses, a.prunings + b.prunings,
            a.asked + b.asked};
}

}  // namespace

ScheduledForce::ScheduledForce(std::vector<double> begins, Make make, const Devices& devices)
    : begins_(std::move(begins)), make_(std::move(make)) {
    if (begins_.empty()) throw InputError("a force has no stages: allowed is one or more");
    if (std::ranges::adjacent_find(begins_, std::greater_equal<>()) != begins_.end())
        throw InputError("the stages of a force do not follow each other: allowed are times that rise");
    for (std::size_t stage = 1; stage < begins_.size(); ++stage) make_(stage, devices);  // wrong settings are found now
    force_ = make_(0, devices);
}

std::size_t ScheduledForce::stage_at(double time) const {
    const auto next = std::upper_bound(begins_.begin() + 1, begins_.end(), time);
    return static_cast<std::size_t>(next - begins_.begin()) - 1;
}

void ScheduledForce::attach(ParticleSet& particles, std::size_t number) {
    number_ = number;
    force_->attach(particles, number);
    attached_ = true;
}

void ScheduledForce::prepare_stage_at(ParticleSet& particles, double time) {
    const std::size_t stage = stage_at(time);
    if (stage != stage_) {
        earlier_ = list_use_;
        force_ = make_(stage, force_->devices());
        stage_ = stage;
        attached_ = false;
    }
    if (!attached_) attach(particles, number_);
}

void ScheduledForce::resume(ParticleSet& particles, double time, const Ranks* ranks) {
    prepare_stage_at(particles, time);
    force_->resume(particles, time, ranks);
}

// Levels keep the stage of the last forces of all particles, whose mesh serves them, too.
void ScheduledForce::dispatch(ParticleSet& particles, const ForceStep& step, Phases& phases) {
    if (!step.level) prepare_stage_at(particles, step.time);
    force_->dispatch(particles, step, phases);
    list_use_ = sum(earlier_, force_->list_use());
}

Work ScheduledForce::retrieve(ParticleSet& particles, Phases& phases) {
    const Work work = force_->retrieve(particles, phases);
    list_use_ = sum(earlier_, force_->list_use());
    return work;
}

}  // namespace trellis
