#include "trellis/forces/tree_force.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "trellis/base/error.hpp"
#include "trellis/base/parallel.hpp"
#include "trellis/forces/device_evaluator.hpp"
#include "trellis/forces/host_evaluator.hpp"

namespace trellis {

// Makes tree and lists from the positions in the column of that name, and dispatches.
void TreeForce::list_and_dispatch(ListedTree& listed, Evaluator& evaluator, const ParticleSet& particles,
                                  std::string_view positions, std::span<const double> tolerance, Phases& phases) {
    listed.build(particles, positions, phases);
    const auto start = [&] {
        const PhaseTimer timer(phases, Phase::make_interaction_list);
        return listed.start_lists(tolerance);
    };
    Walk walk = start();
    evaluator.dispatch(listed, &walk, phases);
}

TreeForce::TreeForce(InteractionKernels kernels, std::shared_ptr<const void> interaction, double coupling,
                     const ForceSettings& settings, std::shared_ptr<Device> device)
    : interaction_{std::move(kernels), std::move(interaction), settings.precision},
      coupling_(std::abs(coupling)),
      settings_(settings),
      choice_(choose(settings, interaction_.kernels.expandable, device != nullptr)),
      listed_(make_listed(sizes())),
      to_be_tuned_(settings.tune_sizes && settings.group_size == 0 && settings.leaf_size == 0) {
    use_device(std::move(device));
}

void TreeForce::use_device(std::shared_ptr<Device> device) {
    if (device != nullptr && (choice_.opening.receiver == Receiver::cell || choice_.opening.order > 1))
        throw InputError("a device takes forces by method tree and order 1 only");
    have_lists_ = false;
    device_ = std::move(device);
    evaluator_ = make_evaluator();
}

ListedTree TreeForce::make_listed(Sizes sizes) const {
    const InteractionKernels& kernels = interaction_.kernels;
    return {kernels.fields, kernels.strength, choice_.opening, sizes.group, sizes.leaf};
}

std::unique_ptr<Evaluator> TreeForce::make_evaluator() const {
    if (device_ == nullptr) return std::make_unique<HostEvaluator>(interaction_);
    return std::make_unique<DeviceEvaluator>(interaction_, device_, settings_.send, keeps_lists());
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
    const std::vector<double> tolerance = tolerance_of(previous);
    if (to_be_tuned_ && !(uses_previous_acceleration() && previous.empty())) tune(particles, tolerance);
    make_lists(particles, Position::name, tolerance, phases);
    ++list_use_.constructions;
    if (keeps_lists()) kept_.note(particles, tolerance);
}

void TreeForce::make_lists(const ParticleSet& particles, std::string_view positions, std::span<const double> tolerance,
                           Phases& phases) {
    list_and_dispatch(listed_, *evaluator_, particles, positions, tolerance, phases);
    have_lists_ = true;
    arrangement_ = particles.arrangement();
}

// The error that each row can bear, if there is a limit.
std::vector<double> TreeForce::tolerance_of(std::span<const double> previous) const {
    std::vector<double> tolerance(choice_.criterion == Criterion::relative ? previous.size() : 0);
    parallel_for(tolerance.size(),
                 [&](std::size_t row) { tolerance[row] = choice_.tolerance * previous[row] / coupling_; });
    return tolerance;
}

bool TreeForce::has_lists_for(const ParticleSet& particles) const {
    return have_lists_ && listed_.columns().size() == particles.size() && arrangement_ == particles.arrangement();
}

// After a checkpoint: makes the lists again that were in use before it. Whether there were any.
bool TreeForce::recall(const ParticleSet& particles, Phases& phases) {
    if (!kept_.noted(particles)) return false;
    make_lists(particles, kept_.positions(), kept_.tolerance(particles), phases);
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

}  // namespace trellis
