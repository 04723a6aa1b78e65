#include "trellis/forces/short_range/short_range_force.hpp"

#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "trellis/base/error.hpp"
#include "trellis/forces/checks.hpp"

namespace trellis {

namespace {

// The skin to which lists are pruned, as a share of the skin that they are made with.
constexpr double pruned_share = 0.2;

}  // namespace

void check(const ShortRangeSettings& settings) {
    if (settings.lists == Lists::reuse && settings.reuse_steps < 1)
        throw InputError("reuse_steps is 0: allowed is 1 or more");
    if (settings.skin_ratio && !(*settings.skin_ratio >= 0 && *settings.skin_ratio <= 1))
        throw InputError("skin_ratio is " + to_text(*settings.skin_ratio) + ": allowed is 0 to 1");
}

double skin_ratio_of(const ShortRangeSettings& settings, bool by_cutoff) {
    return settings.skin_ratio.value_or(by_cutoff ? 0.3 : 0.15);
}

ShortRangeForce::ShortRangeForce(NeighbourKernels kernels, std::shared_ptr<const void> interaction, double cutoff,
                                 const ShortRangeSettings& settings)
    : evaluator_(std::move(kernels), std::move(interaction), settings.precision),
      cutoff_(cutoff),
      settings_((check(settings), settings)),
      exclusions_(settings.exclude.empty() ? nullptr : std::make_shared<const Exclusions>(settings.exclude)),
      neighbourhood_(evaluator_.kernels().search, skin_ratio(), settings.group_size, reuse_steps() > 1, exclusions_) {
    settings_.exclude = {};
    if (!evaluator_.kernels().radius && reuse_steps() > 1) neighbourhood_.prune_to(pruned_share * skin_ratio());
    for (const auto& [value, rate] : evaluator_.kernels().evolves) evolves_.push_back({value.name, rate.name});
    if (!evaluator_.kernels().radius && !(cutoff > 0 && std::isfinite(cutoff)))
        throw InputError("cutoff is " + to_text(cutoff) + ": allowed is above 0");
    ShortRangeForce::use_devices(settings.device);
}

double ShortRangeForce::skin_ratio() const {
    return reuse_steps() > 1 ? skin_ratio_of(settings_, !evaluator_.kernels().radius) : 0;
}

void ShortRangeForce::use_devices(const Devices& devices) {
    settings_.device = devices;
    on_device_ = devices.none() ? nullptr : std::make_shared<DeviceNeighbours>(devices);
    evaluator_.use_devices(on_device_);
    neighbourhood_.serve_devices(on_device_ != nullptr);
}

void ShortRangeForce::add_columns(ParticleSet& particles) const {
    for (const FieldInfo& field : results())
        if (!particles.has(field.name)) particles.add(field);
    for (const auto& [value, rate] : evaluator_.kernels().evolves)
        if (!particles.has(value.name)) particles.add(value);
}

void ShortRangeForce::attach(ParticleSet& particles, std::size_t number) {
    add_columns(particles);
    neighbourhood_.attach(particles, number);
}

Neighbourhood ShortRangeForce::unmade_lists() const {
    return {kernels().search, skin_ratio(), settings_.group_size, exclusions_};
}

std::vector<std::string> ShortRangeForce::reads() const {
    std::vector<std::string> names = names_of(evaluator_.kernels().fields);
    names.emplace_back(Position::name);
    if (const auto& radius = evaluator_.kernels().radius) names.push_back(radius->name);
    if (exclusions_ != nullptr) names.emplace_back(Id::name);
    return names;
}

bool ShortRangeForce::sums_over_pairs() const {
    const NeighbourKernels& kernels = evaluator_.kernels();
    return evolves_.empty() && kernels.summed == kernels.outcome.size() && !reads_velocity(kernels.fields) &&
           kernels.sums_over_pairs(evaluator_.interaction());
}

double ShortRangeForce::range() const {
    return evaluator_.kernels().radius ? std::numeric_limits<double>::infinity() : cutoff_;
}

// Velocities, and all other evolving values, lag the positions by `time`; predict them.
std::vector<Prediction> ShortRangeForce::predictions(double time) const {
    if (time == 0) return {};
    std::vector<Prediction> all{predicted_velocity(time)};
    for (const Evolution& evolution : evolves_) all.push_back({evolution.value, evolution.rate, time});
    return all;
}

Radii ShortRangeForce::radii(const ParticleSet& particles) const {
    const auto& radius = evaluator_.kernels().radius;
    if (!radius) return Radii({&cutoff_, 1});
    return Radii({particles.column(radius->name).values(), particles.size()});
}

void ShortRangeForce::dispatch(ParticleSet& particles, const ForceStep& step, Phases& phases) {
    const Ranks* ranks = step.ranks != nullptr && step.ranks->comm->size() > 1 ? step.ranks : nullptr;
    check_values(particles);
    particles.check_finite(Position::name);
    if (const auto& radius = evaluator_.kernels().radius) {
        particles.check_finite(radius->name);
        check_not_negative(particles, radius->name);
    }
    // A level of individual steps has some of the particles alone.
    if (exclusions_ != nullptr && !step.may_reuse && !step.level) exclusions_->check_present(particles, ranks);
    if (on_device_ != nullptr) on_device_->begin_step(step.active);
    sums_ = step.replaces ? NeighbourEvaluator::Sums::replace : NeighbourEvaluator::Sums::add;
    if (!step.active.all()) flag_rows(step.active, particles.size(), wanted_);
    // For the host, lists of a cutoff are pruned, which takes those of all rows.
    const bool some = !step.active.all() && (evaluator_.kernels().radius || on_device_ != nullptr);
    neighbourhood_.prepare(particles, radii(particles), ranks, step, phases,
                           some ? std::span<const std::uint8_t>(wanted_) : std::span<const std::uint8_t>());
    evaluator_.begin(neighbourhood(), particles, predictions(step.since_kick), phases, select_active(step));
}

// Null for all rows.
const NeighbourSelection* ShortRangeForce::select_active(const ForceStep& step) {
    if (step.active.all()) return nullptr;
    neighbourhood().select(wanted_, selection_);
    return &selection_;
}

Work ShortRangeForce::retrieve(ParticleSet& particles, Phases& phases) {
    return evaluator_.finish(neighbourhood(), particles, sums_, phases);
}

void ShortRangeForce::reference(const ParticleSet& sources, const ParticleSet& targets, std::uint32_t row,
                                std::int64_t self, double /*time*/, double* values) const {
    std::vector<double> factors;
    if (exclusions_ != nullptr) factors = exclusions_->factors(sources, targets[fields::id][row]);
    evaluator_.kernels().reference(evaluator_.interaction(), sources, targets, row, self, factors, values);
}

}  // namespace trellis
