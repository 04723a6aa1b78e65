#include "trellis/forces/tree_force.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "trellis/base/error.hpp"
#include "trellis/base/parallel.hpp"
#include "trellis/forces/host_evaluator.hpp"

namespace trellis {

TreeForce::TreeForce(InteractionKernels kernels, std::shared_ptr<const void> interaction, double coupling,
                     const ForceSettings& settings, std::shared_ptr<Device> device)
    : interaction_{std::move(kernels), std::move(interaction), settings.precision},
      coupling_(std::abs(coupling)),
      settings_(settings),
      choice_(choose(settings, interaction_.kernels.expandable, device != nullptr)),
      listed_(interaction_.kernels.fields, interaction_.kernels.strength, choice_.opening, choice_.group_size,
              choice_.leaf_size) {
    use_device(std::move(device));
}

void TreeForce::use_device(std::shared_ptr<Device> device) {
    have_lists_ = false;
    if (device == nullptr) {
        evaluator_ = std::make_unique<HostEvaluator>(interaction_);
        on_device_ = nullptr;
        return;
    }
    if (choice_.opening.receiver == Receiver::cell || choice_.opening.order > 1)
        throw InputError("a device takes forces by method tree and order 1 only");
    auto evaluator = std::make_unique<DeviceEvaluator>(interaction_, std::move(device), settings_.send, keeps_lists());
    on_device_ = evaluator.get();
    evaluator_ = std::move(evaluator);
}

void TreeForce::attach(ParticleSet& particles, std::size_t number) {
    for (const FieldInfo& field : results())
        if (!particles.has(field.name)) particles.add(field);
    if (keeps_lists()) kept_.attach(particles, number);
}

void TreeForce::dispatch(ParticleSet& particles, const ForceStep& step, Phases& phases) {
    check_columns(interaction_.kernels, particles);
    if (step.may_reuse && keeps_lists() && (has_lists_for(particles) || recall(particles, phases))) {
        if (reuse(particles, phases)) return;
        ++list_use_.early;
    }
    construct(particles, step.previous, phases);
}

Work TreeForce::retrieve(ParticleSet& particles, Phases& phases) {
    std::vector<ResultComponent> components;
    for (const FieldInfo& field : results())
        for (std::size_t c = 0; c < field.components; ++c)
            components.push_back({particles.column(field.name).values() + c, field.components});
    return evaluator_->retrieve(listed_, components, phases);
}

void TreeForce::reference(const ParticleSet& particles, std::uint32_t row, double* values) const {
    interaction_.kernels.reference(interaction_.parameters.get(), particles, row, values);
}

// Construction step.
void TreeForce::construct(ParticleSet& particles, std::span<const double> previous, Phases& phases) {
    have_lists_ = false;
    std::vector<double> tolerance(choice_.criterion == Criterion::relative ? previous.size() : 0);
    parallel_for(tolerance.size(),
                 [&](std::size_t row) { tolerance[row] = choice_.tolerance * previous[row] / coupling_; });
    listed_.build(particles, Position::name, phases);
    Walk walk = start_lists(tolerance, phases);
    evaluator_->dispatch(listed_, &walk, phases);
    ++list_use_.constructions;
    if (keeps_lists()) kept_.note(particles, tolerance);
    have_lists_ = true;
    arrangement_ = particles.arrangement();
}

bool TreeForce::has_lists_for(const ParticleSet& particles) const {
    return have_lists_ && listed_.columns().size() == particles.size() && arrangement_ == particles.arrangement();
}

// After a checkpoint: makes the lists again that were in use before it. Whether there were any.
bool TreeForce::recall(const ParticleSet& particles, Phases& phases) {
    if (!kept_.noted(particles)) return false;
    listed_.build(particles, kept_.positions(), phases);
    Walk walk = start_lists(kept_.tolerance(particles), phases);
    evaluator_->dispatch(listed_, &walk, phases);
    have_lists_ = true;
    arrangement_ = particles.arrangement();
    return true;
}

// Reusing step, if the lists still hold.
bool TreeForce::reuse(const ParticleSet& particles, Phases& phases) {
    listed_.refresh(particles, phases);
    if (!choice_.trust_reuse_steps && !listed_.lists_hold(choice_.skin, phases)) return false;
    evaluator_->dispatch(listed_, nullptr, phases);
    ++list_use_.reuses;
    return true;
}

Walk TreeForce::start_lists(std::span<const double> tolerance, Phases& phases) {
    const PhaseTimer timer(phases, Phase::make_interaction_list);
    return listed_.start_lists(tolerance);
}

}  // namespace trellis
