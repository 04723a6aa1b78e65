#include "trellis/forces/tree/tree_force.hpp"

#include <cmath>
#include <exception>
#include <optional>
#include <utility>

#include "trellis/base/error.hpp"
#include "trellis/base/parallel.hpp"
#include "trellis/forces/checks.hpp"
#include "trellis/forces/device_failure.hpp"
#include "trellis/particles/nearest_images.hpp"
#include "trellis/ranks/comm/async_reduction.hpp"
#include "trellis/ranks/comm/traffic_scope.hpp"

namespace trellis {

namespace {

// The numbers of pairs that take as long as one moment of an interaction between cells (M2L), and as one of a cell that
// acts on a particle (M2P): bench/kernel/kernel.cpp.
constexpr double pairs_a_moment_to_cell = 1.6, pairs_a_moment_to_particle = 0.5;

// In a periodic box forces cancel, and errors of many cells point the same way: each is allowed this share of what it
// is in open space, and no particle is asked for less than so much of the force of a neighbour
// (docs/periodic_gravity.md).
constexpr double share_in_box = 0.5, least_of_neighbour = 2e-7;

// Where forces cancel, the cells whose errors add up are the more the less each is allowed: some t^(-3/8) for an error
// t. Below so much of the force of all matter within reach that power is taken away from what each is allowed.
constexpr double many_cells_below = 6.5e-6, cells_by_error = 3.0 / 8;

struct Squares {
    double sum, count;
};
Squares squares_of(std::span<const double> values) {
    Squares all{0, static_cast<double>(values.size())};
    for (const double value : values) all.sum += value * value;
    return all;
}
Squares added(const Squares& a, const Squares& b) { return {a.sum + b.sum, a.count + b.count}; }
// The root mean square; infinite if there are none.
double mean_of(const Squares& all) { return all.count > 0 ? std::sqrt(all.sum / all.count) : any_error; }

}  // namespace

TreeForce::TreeForce(InteractionKernels kernels, std::shared_ptr<const void> interaction, double coupling,
                     const ForceSettings& settings, Devices devices, std::unique_ptr<PeriodicComplement> lattice)
    : interaction_{std::move(kernels), std::move(interaction), settings.precision},
      coupling_(std::abs(coupling)),
      settings_(settings),
      choice_(choose(settings, interaction_.kernels.expandable, !devices.none(),
                     interaction_.kernels.softening.has_value())),
      listed_(make_listed(sizes())),
      imports_(settings.let, choice_.digits, keeps_lists()),
      lattice_(std::move(lattice)),
      to_be_tuned_(settings.tune_sizes && settings.group_size == 0 && settings.leaf_size == 0) {
    interaction_.precision = choice_.precision;
    check_take(devices);
    devices_ = std::move(devices);
    evaluation_ = make_evaluation();
}

void TreeForce::check_take(const Devices& devices) const {
    if (!devices.none() && (choice_.opening.receiver == Receiver::cell || choice_.opening.order > 1))
        throw InputError("a device takes forces by method tree and order 1 only");
}

void TreeForce::use_devices(const Devices& devices) {
    check_take(devices);
    lists_for_.reset();
    devices_ = devices;
    evaluation_ = make_evaluation();
}

void TreeForce::set_interaction(std::shared_ptr<const void> interaction, double cutoff) {
    lists_for_.reset();
    interaction_.parameters = std::move(interaction);
    // Particles approach while lists are reused.
    choice_.opening.cutoff = keeps_lists() ? cutoff * (1 + choice_.opening_growth) : cutoff;
    listed_ = make_listed(sizes());
    evaluation_ = make_evaluation();
}

ListedTree TreeForce::make_listed(Sizes sizes) const {
    const InteractionKernels& kernels = interaction_.kernels;
    return {kernels.fields, kernels.source_components, kernels.strength, choice_.opening, sizes.group,
            sizes.leaf,     kernels.softening};
}

std::unique_ptr<Evaluation> TreeForce::make_evaluation() const {
    return evaluation_by(devices_.none()
                             ? host_evaluator(interaction_, keeps_lists())
                             : device_evaluator(interaction_, devices_, choice_.digits, settings_.send, keeps_lists()));
}

void TreeForce::attach(ParticleSet& particles, std::size_t number) {
    for (const FieldInfo& field : results())
        if (!particles.has(field.name)) particles.add(field);
    if (!keeps_lists()) return;
    kept_.attach(particles, number,
                 {"_list_tolerance", "", "error that a particle can bear on its interaction lists; NaN: any"});
}

void TreeForce::dispatch(ParticleSet& particles, const ForceStep& step, Phases& phases) {
    ranks_ = step.ranks != nullptr && step.ranks->comm->size() > 1 ? step.ranks : nullptr;
    check_columns(particles, interaction_.kernels.fields, interaction_.kernels.not_negative());
    begin_images(particles, phases);
    if (step.repeated) lists_for_.reset();
    if (step.may_reuse && keeps_lists() && (has_lists_for(particles) || recall(particles, phases))) {
        if (reuse(particles, phases)) return;
        ++list_use_.early;
    }
    construct(particles, step.previous, phases);
}

Work TreeForce::retrieve(ParticleSet& particles, Phases& phases) {
    find_components(particles, results(), components_);
    Work work = evaluation_->retrieve(listed_, imports_, components_, phases);
    if (particles.region().periodic()) lattice_->add(particles, phases);
    take_scale();
    const double order = choice_.opening.order, moments = (order + 1) * (order + 2) * (order + 3) / 6;
    work.cost =
        static_cast<double>(work.pairs) + moments * (pairs_a_moment_to_cell * static_cast<double>(work.expansions) +
                                                     pairs_a_moment_to_particle * static_cast<double>(work.multipoles));
    return work;
}

void TreeForce::reference(const ParticleSet& sources, const ParticleSet& targets, std::uint32_t row, std::int64_t self,
                          double* values) const {
    if (lattice_ != nullptr && sources.region().periodic())
        lattice_->reference(sources, targets, row, self, values);
    else
        interaction_.kernels.reference(interaction_.parameters.get(), sources, targets, row, self, values);
}

// The images that touch a periodic box act by lists that reach into them, or are imported, as other ranks' particles
// are; those beyond are a lattice sum.
void TreeForce::begin_images(ParticleSet& particles, Phases& phases) {
    const Region& region = particles.region();
    if (region != region_) {
        lists_for_.reset();
        region_ = region;
        images_ = nearest_images(region);
    }
    set_images();
    imports_.set_ranks(ranks_ == nullptr && region.periodic() && !evaluation_->lists_images() ? &alone_ : ranks_);
    if (!region.periodic()) return;
    if (lattice_ == nullptr) check_open(particles, "a force without a sum over all images");
    lattice_->check(region, settings_.accuracy);
    std::optional<TrafficScope> roots;
    if (ranks_ != nullptr) roots.emplace(*ranks_->comm, TrafficClass::roots);
    lattice_->gather(particles, ranks_, phases);
}

void TreeForce::set_images() {
    const bool by_lists = evaluation_->lists_images();
    listed_.set_images(std::span(images_).first(by_lists ? images_.size() : 1));
    imports_.set_images(images_, !by_lists);
}

// Construction step.
void TreeForce::construct(ParticleSet& particles, std::span<const double> previous, Phases& phases) {
    lists_for_.reset();
    const ErrorsBorne errors = find_errors(previous, particles.region().periodic(), phases);
    if (to_be_tuned_ && !(uses_previous_acceleration() && previous.empty()))
        tune(particles, tolerances_of(previous, errors));
    const std::span<const double> tolerance = tolerances_of(previous, errors);
    if (keeps_lists()) kept_.note(particles, tolerance);  // on all ranks, even if a device of some fails now
    make_lists(particles, Position::name, tolerance, phases);
    ++list_use_.constructions;
}

// Reusing step, if the lists are still valid.
bool TreeForce::reuse(const ParticleSet& particles, Phases& phases) {
    listed_.refresh(particles, phases);
    const auto growth = choice_.trust_reuse_steps ? std::nullopt : std::optional(choice_.opening_growth);
    if (!evaluation_->reuse(listed_, imports_, growth, phases)) return false;
    ++list_use_.reuses;
    return true;
}

bool TreeForce::has_lists_for(const ParticleSet& particles) const {
    return lists_for_ == particles.arrangement() && listed_.columns().size() == particles.size();
}

// After a checkpoint or a failure: rebuilds the lists that were in use before it. True if there were any. All ranks
// succeed, or none does: a reusing step is to follow, which they begin together.
bool TreeForce::recall(const ParticleSet& particles, Phases& phases) {
    if (imports_.on_all_ranks(!kept_.noted(particles))) return false;
    const auto failure =
        device_failure_of([&] { make_lists(particles, kept_.positions(), kept_.limits(particles), phases); });
    evaluation_->take_imported(listed_, imports_, phases);
    share_failure(ranks_, failure);
    return true;
}

void TreeForce::make_lists(const ParticleSet& particles, std::string_view positions, std::span<const double> tolerance,
                           Phases& phases) {
    listed_.build(particles, positions, tolerance, phases);
    const auto errors = particles.region().periodic() ? tolerance : std::span<const double>();
    if (ranks_ != nullptr) {
        construct_at_scale_of_all(errors, phases);
    } else {
        if (!errors.empty()) note_tolerance(errors);
        evaluation_->construct(listed_, imports_, phases);
    }
    lists_for_ = particles.arrangement();
}

// Between sites the scale travels with all else, and that of the last time stands for it: only the precision depends on
// it.
void TreeForce::construct_at_scale_of_all(std::span<const double> errors, Phases& phases) {
    const TrafficScope roots(*ranks_->comm, TrafficClass::roots);
    if (scale_on_its_way_) scale_on_its_way_->finish();  // of lists that were of no use
    scale_on_its_way_ = std::make_unique<ScaleExchange>(*ranks_->comm, part_of_scale(listed_, errors), &join_parts);
    if (!scale_on_its_way_->under_way() || !scale_of_all_) scale_of_all_ = scale_of(scale_on_its_way_->finish());
    if (!scale_on_its_way_->under_way()) scale_on_its_way_.reset();
    listed_.set_scale(*scale_of_all_);
    const auto failure = device_failure_of([&] { evaluation_->construct(listed_, imports_, phases); });
    if (!failure) return;
    if (scale_on_its_way_) scale_of_all_ = scale_of(std::exchange(scale_on_its_way_, nullptr)->finish());
    std::rethrow_exception(failure);
}

// If the precision comes out otherwise at the scale of all, all ranks begin again.
void TreeForce::take_scale() {
    if (!scale_on_its_way_) return;
    const bool single = interaction_.single(listed_);
    scale_of_all_ = scale_of(std::exchange(scale_on_its_way_, nullptr)->finish());
    listed_.set_scale(*scale_of_all_);
    if (interaction_.single(listed_) != single) throw RedoForces();
}

TreeForce::ErrorsBorne TreeForce::find_errors(std::span<const double> previous, bool in_box, Phases& phases) {
    if (choice_.criterion != Criterion::relative) return {};
    double share = choice_.tolerance * (in_box ? share_in_box : 1) / coupling_;
    double least = 0;
    if (in_box) {
        // Between sites both sums travel at the same time.
        AsyncReduction squares(ranks_ == nullptr ? *alone_.comm : *ranks_->comm, squares_of(previous), &added);
        const ReferenceForces forces = lattice_->forces(phases);
        least = least_of_neighbour * forces.of_neighbour;
        const double allowed = share * mean_of(squares.finish()), many = many_cells_below * forces.within_reach;
        if (allowed < many) share *= std::pow(allowed / many, cells_by_error / (1 - cells_by_error));
    }
    return {share, least};
}

// The error that each row can bear; none if there is no limit.
std::span<const double> TreeForce::tolerances_of(std::span<const double> previous, const ErrorsBorne& errors) {
    if (choice_.criterion != Criterion::relative) return {};
    const std::span<double> tolerance = listed_.room_for_tolerances(previous.size());
    parallel_for(tolerance.size(),
                 [&](std::size_t row) { tolerance[row] = std::max(errors.least, errors.share * previous[row]); });
    return tolerance;
}

// Notes with the scale what error the particles can bear.
void TreeForce::note_tolerance(std::span<const double> errors) {
    Scale scale = listed_.scale();
    scale.tolerance = scale_of(part_of_scale(listed_, errors)).tolerance;
    listed_.set_scale(scale);
}

}  // namespace trellis
