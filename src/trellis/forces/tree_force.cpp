#include "trellis/forces/tree_force.hpp"

#include <cmath>
#include <utility>

#include "trellis/base/error.hpp"
#include "trellis/base/parallel.hpp"
#include "trellis/forces/device_evaluator.hpp"
#include "trellis/forces/host_evaluator.hpp"
#include "trellis/ranks/collective.hpp"

namespace trellis {

namespace {

// How many pairs take as long as one moment of an interaction between cells (M2L), and as one of a cell that acts on a particle
// (M2P): bench/kernel.cpp.
constexpr double pairs_a_moment_to_cell = 1.6, pairs_a_moment_to_particle = 0.5;

}  // namespace

TreeForce::TreeForce(InteractionKernels kernels, std::shared_ptr<const void> interaction, double coupling,
                     const ForceSettings& settings, std::shared_ptr<Device> device)
    : interaction_{std::move(kernels), std::move(interaction), settings.precision},
      coupling_(std::abs(coupling)),
      settings_(settings),
      choice_(choose(settings, interaction_.kernels.expandable, device != nullptr)),
      listed_(make_listed(sizes())),
      essential_(settings.essential, choice_.digits),
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
    return {kernels.fields, kernels.source_components, kernels.strength, choice_.opening, sizes.group, sizes.leaf};
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
    ranks_ = step.ranks != nullptr && step.ranks->comm->size() > 1 ? step.ranks : nullptr;
    check_open(particles);
    check_columns(interaction_.kernels, particles);
    if (step.may_reuse && keeps_lists() && (has_lists_for(particles) || recall(particles, phases))) {
        if (reuse(particles, phases)) return finish_exchange(step, phases);
        ++list_use_.early;
    }
    construct(particles, step.previous, phases);
    finish_exchange(step, phases);
}

// Of which there can be one at a time.
void TreeForce::finish_exchange(const ForceStep& step, Phases& phases) {
    if (step.followed && essential_.under_way()) graft(phases);
}

// While own particles act, what acts from other ranks travels.
Work TreeForce::retrieve(ParticleSet& particles, Phases& phases) {
    const auto results = result_components(particles);
    const bool in_parts = !alone() && evaluator_->takes_parts();
    const auto meanwhile = [this] { essential_.progress(); };
    Work work = evaluator_->retrieve(listed_, in_parts ? Part::own : Part::whole, results, meanwhile, phases);
    if (in_parts) {
        if (essential_.under_way()) graft(phases);
        if (has_particles()) work += evaluator_->retrieve(listed_, Part::grafted, results, [] {}, phases);
    }
    const double order = choice_.opening.order, moments = (order + 1) * (order + 2) * (order + 3) / 6;
    work.cost =
        static_cast<double>(work.pairs) + moments * (pairs_a_moment_to_cell * static_cast<double>(work.expansions) +
                                                     pairs_a_moment_to_particle * static_cast<double>(work.multipoles));
    return work;
}

std::vector<ResultComponent> TreeForce::result_components(ParticleSet& particles) const {
    std::vector<ResultComponent> components;
    for (const FieldInfo& field : results())
        for (std::size_t c = 0; c < field.components; ++c)
            components.push_back({particles.column(field.name).values() + c, field.components});
    return components;
}

void TreeForce::reference(const ParticleSet& sources, const ParticleSet& targets, std::uint32_t row, std::int64_t self,
                          double* values) const {
    interaction_.kernels.reference(interaction_.parameters.get(), sources, targets, row, self, values);
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
    constructing_ = true;
    listed_.build(particles, positions, tolerance, phases);
    if (!alone()) share_scale();
    evaluator_->describe(listed_, phases);
    if (!alone()) {
        essential_.begin(*ranks_, listed_, evaluator_->cell_moments(), phases);
        if (!evaluator_->takes_parts()) graft(phases);
    }
    walk_and_dispatch(phases);
    have_lists_ = true;
    arrangement_ = particles.arrangement();
}

// The precision depends on it, which must be the same on all ranks.
void TreeForce::share_scale() {
    struct Whole {
        Extent extent;
        double weight;
        bool any;
    };
    const auto& moments = listed_.moments();
    const Whole own = has_particles() ? Whole{moments.bounds()[0], moments.weights()[0], true} : Whole{};
    const Whole all = all_reduce(*ranks_->comm, own, [](const Whole& a, const Whole& b) {
        if (!a.any || !b.any) return a.any ? a : b;
        return Whole{join(a.extent, b.extent), a.weight + b.weight, true};
    });
    if (all.any) listed_.set_scale({largest(all.extent.high - all.extent.low), all.weight});
}

void TreeForce::walk_and_dispatch(Phases& phases) {
    const auto start = [&] {
        const PhaseTimer timer(phases, Phase::make_interaction_list);
        return alone() || evaluator_->takes_parts() ? listed_.start_own_lists() : listed_.start_all_lists();
    };
    Walk walk = start();
    evaluator_->dispatch(listed_, &walk, phases);
}

// Takes what other ranks have sent, and in a construction step, makes the lists of it, if it has lists of its own.
void TreeForce::graft(Phases& phases) {
    const Graft& graft = essential_.finish(listed_, evaluator_->cell_moments(), phases);
    if (!has_particles()) return;
    {
        const PhaseTimer timer(phases, Phase::calculate_moments);
        constructing_ ? listed_.graft(graft) : listed_.refresh_graft(graft);
    }
    evaluator_->describe_graft(listed_, graft, phases);
    if (!constructing_ || !evaluator_->takes_parts()) return;
    const PhaseTimer timer(phases, Phase::make_interaction_list);
    listed_.start_grafted_lists().make_all_branches();
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
    if (!any_rank(kept_.noted(particles))) return false;
    make_lists(particles, kept_.positions(), kept_.tolerance(particles), phases);
    if (essential_.under_way()) graft(phases);
    return true;
}

// Reusing step, if the lists still hold.
bool TreeForce::reuse(const ParticleSet& particles, Phases& phases) {
    constructing_ = false;
    listed_.refresh(particles, phases);
    evaluator_->describe(listed_, phases);
    if (!alone()) essential_.begin_update(*ranks_, listed_, evaluator_->cell_moments(), phases);
    if (!lists_hold(phases)) return false;
    evaluator_->dispatch(listed_, nullptr, phases);
    ++list_use_.reuses;
    return true;
}

// On all ranks. Own lists are checked while values travel, as long as they are apart from the others.
bool TreeForce::lists_hold(Phases& phases) {
    const bool check = !choice_.trust_reuse_steps, apart = evaluator_->takes_parts();
    bool hold = true;
    if (check && (alone() || apart)) hold = listed_.own_lists_hold(choice_.skin, phases);
    if (alone() || (!check && apart)) return hold;
    graft(phases);
    if (!check) return true;
    if (has_particles())
        hold = hold && (apart ? listed_.grafted_lists_hold(choice_.skin, phases)
                              : listed_.own_lists_hold(choice_.skin, phases));
    return !any_rank(!hold);
}

bool TreeForce::any_rank(bool here) const { return alone() ? here : trellis::any_rank(*ranks_->comm, here); }

}  // namespace trellis
