#include "trellis/forces/tree/tree_force.hpp"

#include <algorithm>
#include <cmath>
#include <exception>
#include <optional>
#include <utility>

#include "trellis/base/parallel.hpp"
#include "trellis/devices/device_kind.hpp"
#include "trellis/forces/checks.hpp"
#include "trellis/forces/device_failure.hpp"
#include "trellis/forces/tree/shown_coupling.hpp"
#include "trellis/particles/motion.hpp"
#include "trellis/particles/nearest_images.hpp"
#include "trellis/ranks/comm/traffic_scope.hpp"

namespace trellis {

namespace {

// The numbers of pairs that take as long as one moment of an interaction between cells (M2L), and as one of a cell that
// acts on a particle (M2P): bench/kernel/kernel.cpp.
constexpr double pairs_a_moment_to_cell = 1.6, pairs_a_moment_to_particle = 0.5;

// The fewest particles of a level of individual steps that go to a device: of fewer, the host sums the pairs in less
// than the tenth of a millisecond that a call of a device takes.
constexpr std::size_t fewest_on_device = 512;

}  // namespace

TreeForce::TreeForce(InteractionKernels kernels, std::shared_ptr<const void> interaction, double coupling,
                     const ForceSettings& settings, Devices devices, std::shared_ptr<PeriodicComplement> complement)
    : interaction_{std::move(kernels), std::move(interaction), settings.precision},
      settings_(settings),
      choice_(choose(sized_for(settings, are_gpus(devices)), interaction_.kernels.expandable, !devices.none(),
                     interaction_.kernels.softening.has_value())),
      tolerances_(choice_, std::abs(coupling)),
      listed_(make_listed(sizes())),
      imports_(settings.let, choice_.digits, keeps_lists()),
      complement_(complement ? std::move(complement) : images_of_potential(interaction_, settings.accuracy)),
      to_be_tuned_(settings.tune_sizes && settings.group_size == 0 && settings.leaf_size == 0) {
    interaction_.precision = choice_.precision;
    devices_ = std::move(devices);
    evaluation_ = make_evaluation();
}

void TreeForce::use_devices(const Devices& devices) {
    lists_for_.reset();
    devices_ = devices;
    evaluation_ = make_evaluation();
    of_few_.reset();
    few_ = false;
}

void TreeForce::set_interaction(std::shared_ptr<const void> interaction, double cutoff) {
    lists_for_.reset();
    interaction_.parameters = std::move(interaction);
    // Particles approach each other while lists are reused.
    choice_.opening.cutoff = keeps_lists() ? cutoff * (1 + choice_.opening_growth) : cutoff;
    listed_ = make_listed(sizes());
    evaluation_ = make_evaluation();
    of_few_.reset();
    few_ = false;
}

ListedTree TreeForce::make_listed(Sizes sizes) const {
    const InteractionKernels& kernels = interaction_.kernels;
    return {kernels.fields, kernels.source_components, kernels.strength, choice_.opening, sizes.group,
            sizes.leaf,     kernels.softening};
}

std::unique_ptr<Evaluation> TreeForce::make_evaluation() const {
    if (devices_.none()) return host_evaluation();
    return evaluation_by(device_evaluator(interaction_, devices_, choice_, settings_.send, keeps_lists()));
}

std::unique_ptr<Evaluation> TreeForce::host_evaluation() const {
    return evaluation_by(host_evaluator(interaction_, keeps_lists()));
}

void TreeForce::attach(ParticleSet& particles, std::size_t number) {
    for (const FieldInfo& field : results())
        if (!particles.has(field.name)) particles.add(field);
    if (!keeps_lists()) return;
    kept_.attach(particles, number,
                 {"_list_tolerance", "", "error that a particle can bear on its interaction lists; NaN: any"});
}

bool TreeForce::sums_over_pairs() const { return !reads_velocity(interaction_.kernels.fields); }

void TreeForce::dispatch(ParticleSet& particles, const ForceStep& step, Phases& phases) {
    ranks_ = step.ranks != nullptr && step.ranks->comm->size() > 1 ? step.ranks : nullptr;
    level_ = step.level;
    few_ = level_ && !devices_.none() && particles.size() < fewest_on_device;  // other ranks may have more
    if (few_ && of_few_ == nullptr) of_few_ = host_evaluation();
    check_columns(particles, interaction_.kernels.fields, interaction_.kernels.not_negative());
    begin_images(particles, phases);
    predictions_.clear();
    if (step.since_kick != 0 && particles.has(Acceleration::name))
        predictions_.push_back(predicted_velocity(step.since_kick));
    failure_ = device_failure_of([&] { begin_forces(particles, step, phases); });
    if (failure_ != nullptr && !has_complement(particles)) std::rethrow_exception(failure_);
}

// The lists, made or reused, and what is sent to devices.
void TreeForce::begin_forces(ParticleSet& particles, const ForceStep& step, Phases& phases) {
    if (step.repeated) lists_for_.reset();
    if (step.may_reuse && keeps_lists() && (has_lists_for(particles) || recall(particles, phases))) {
        if (within_margin(particles) && reuse(particles, phases)) return;
        ++list_use_.early;
    }
    construct(particles, step.previous, phases);
}

Work TreeForce::retrieve(ParticleSet& particles, Phases& phases) {
    find_components(particles, results(), components_);
    if (has_complement(particles) && !devices_.none()) complement_->solve(phases);
    if (failure_ != nullptr) std::rethrow_exception(failure_);
    Work work = evaluation().retrieve(listed_, imports_, components_, phases);
    if (has_complement(particles)) complement_->add(particles, phases);
    take_scale();
    const double order = choice_.opening.order, moments = (order + 1) * (order + 2) * (order + 3) / 6;
    work.cost =
        static_cast<double>(work.pairs) + moments * (pairs_a_moment_to_cell * static_cast<double>(work.expansions) +
                                                     pairs_a_moment_to_particle * static_cast<double>(work.multipoles));
    return work;
}

void TreeForce::prepare_reference(const ParticleSet& particles, double /*time*/, Comm& /*comm*/) {
    if (complement_ != nullptr && particles.region().periodic()) complement_->prepare_reference(particles.region());
}

void TreeForce::reference(const ParticleSet& sources, const ParticleSet& targets, std::uint32_t row, std::int64_t self,
                          double /*time*/, double* values) const {
    if (complement_ != nullptr && sources.region().periodic())
        complement_->reference(sources, targets, row, self, values);
    else
        interaction_.kernels.reference(interaction_.parameters.get(), sources, targets, row, self, values);
}

// The images that touch a periodic box are named by lists, or are imported like other ranks' particles; the complement
// adds the images beyond.
void TreeForce::begin_images(ParticleSet& particles, Phases& phases) {
    const Region& region = particles.region();
    if (region != region_) {
        lists_for_.reset();
        region_ = region;
        images_ = nearest_images(region);
    }
    set_images();
    imports_.set_ranks(ranks_ == nullptr && region.periodic() && !evaluation().lists_images() ? &alone_ : ranks_);
    if (!region.periodic()) return;
    if (complement_ == nullptr) check_open(particles, "a force without a sum over all images");
    if (level_) return;
    complement_->check(region, settings_.accuracy);
    std::optional<TrafficScope> roots;
    if (ranks_ != nullptr) roots.emplace(*ranks_->comm, TrafficClass::roots);
    complement_->gather(particles, ranks_, phases);
}

void TreeForce::set_images() {
    const bool by_lists = evaluation().lists_images();
    listed_.set_images(std::span(images_).first(by_lists ? images_.size() : 1));
    imports_.set_images(images_, !by_lists);
}

// Construction step.
void TreeForce::construct(ParticleSet& particles, std::span<const double> previous, Phases& phases) {
    lists_for_.reset();
    const bool in_box = particles.region().periodic();
    const auto limits = in_box && level_
                            ? tolerances_.limits_of_level(previous, *complement_, particles, comm())
                            : tolerances_.limits(previous, in_box ? complement_.get() : nullptr, comm(), phases);
    const auto tolerances = [&] {
        const std::span<double> errors = tolerances_.of_rows(previous, limits, listed_);
        if (uses_previous_acceleration()) divide_by_shown_coupling(interaction_, particles, comm(), errors);
        return errors;
    };
    if (to_be_tuned_ && !(uses_previous_acceleration() && previous.empty())) tune(particles, tolerances());
    const std::span<const double> tolerance = tolerances();
    if (keeps_lists()) kept_.note(particles, tolerance);  // on all ranks, even if a device of one rank fails now
    make_lists(particles, Position::name, tolerance, phases);
    ++list_use_.constructions;
}

// Reusing step, if the lists are still valid.
bool TreeForce::reuse(const ParticleSet& particles, Phases& phases) {
    listed_.refresh(particles, phases, predictions_);
    const auto growth = choice_.trust_reuse_steps ? std::nullopt : std::optional(choice_.opening_growth);
    if (!evaluation().reuse(listed_, imports_, growth, phases)) return false;
    ++list_use_.reuses;
    return true;
}

// Cells beyond the cutoff and its margin are on no list, and no ratio of theirs can be looked at. True if no two
// particles can have come within the cutoff from there, on any rank.
bool TreeForce::within_margin(const ParticleSet& particles) {
    if (!choice_.opening.ends() || choice_.trust_reuse_steps) return true;
    const double margin = choice_.opening.cutoff * choice_.opening_growth / (1 + choice_.opening_growth);
    const auto now = particles[fields::position];
    const auto* then = reinterpret_cast<const Vec3<double>*>(particles.column(kept_.positions()).values());
    const auto farthest = [&](std::size_t begin, std::size_t end) {
        double square = 0;
        for (std::size_t row = begin; row < end; ++row) {
            const Vec3<double> moved = now[row] - then[row];
            square = std::max(square, dot(moved, moved));
        }
        return square;
    };
    const auto larger = [](double a, double b) { return std::max(a, b); };
    return imports_.on_all_ranks(4 * parallel_reduce(now.size(), 0.0, farthest, larger) <= margin * margin);
}

bool TreeForce::has_lists_for(const ParticleSet& particles) const {
    return lists_for_ == particles.arrangement() && listed_.columns().size() == particles.size();
}

// After a checkpoint or a failure: rebuilds the lists that were in use before it. True if there were any. All ranks
// succeed or all fail, since a reusing step follows, which they begin together.
bool TreeForce::recall(const ParticleSet& particles, Phases& phases) {
    if (imports_.on_all_ranks(!kept_.noted(particles))) return false;
    const auto failure =
        device_failure_of([&] { make_lists(particles, kept_.positions(), kept_.limits(particles), phases); });
    evaluation().take_imported(listed_, imports_, phases);
    share_failure(ranks_, failure);
    return true;
}

void TreeForce::make_lists(const ParticleSet& particles, std::string_view positions, std::span<const double> tolerance,
                           Phases& phases) {
    listed_.build(particles, positions, tolerance, phases, predictions_);
    const auto errors = particles.region().periodic() ? tolerance : std::span<const double>();
    if (ranks_ != nullptr) {
        construct_on_ranks(errors, phases);
    } else {
        PrecisionScale::set_alone(listed_, errors);
        evaluation().construct(listed_, imports_, phases);
    }
    lists_for_ = particles.arrangement();
}

// Between sites the precision is that of the last scale until the present one is known.
void TreeForce::construct_on_ranks(std::span<const double> errors, Phases& phases) {
    const TrafficScope roots(*ranks_->comm, TrafficClass::roots);
    scale_.begin(listed_, errors, *ranks_->comm);
    const auto failure = device_failure_of([&] { evaluation().construct(listed_, imports_, phases); });
    if (!failure) return;
    if (scale_.under_way()) scale_.finish();
    std::rethrow_exception(failure);
}

// All ranks compute their forces again if the scale of all asks for another precision than they were begun with.
void TreeForce::take_scale() {
    if (!scale_.under_way()) return;
    const bool single = interaction_.single(listed_);
    listed_.set_scale(scale_.finish());
    if (interaction_.single(listed_) != single) throw RedoForces();
}

}  // namespace trellis
