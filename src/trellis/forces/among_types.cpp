#include "trellis/forces/among_types.hpp"

#include <algorithm>
#include <utility>

#include "trellis/base/error.hpp"
#include "trellis/base/parallel.hpp"
#include "trellis/ranks/comm/collective.hpp"

namespace trellis {

using namespace fields;

namespace {

// Copies the values of these rows to the rows 0, 1, ... of another column of the field.
void gather(const Column& from, std::span<const std::uint32_t> rows, Column& to) {
    const std::size_t components = from.info().components;
    parallel_for(rows.size() * components, [&](std::size_t k) {
        to.integers()[k] = from.integers()[rows[k / components] * components + k % components];
    });
}

// Copies the values of the rows 0, 1, ... back to these rows.
void scatter(const Column& from, std::span<const std::uint32_t> rows, Column& to) {
    const std::size_t components = from.info().components;
    parallel_for(rows.size() * components, [&](std::size_t k) {
        to.integers()[rows[k / components] * components + k % components] = from.integers()[k];
    });
}

void gather_all(const ParticleSet& from, std::span<const std::uint32_t> rows, ParticleSet& to) {
    to.set_region(from.region());
    for (const auto& column : from.columns()) {
        const FieldInfo& field = column->info();
        if (!to.has(field.name)) to.add(field);
        gather(*column, rows, to.column(field.name));
    }
}

}  // namespace

AmongTypes::AmongTypes(std::unique_ptr<Force> force, std::vector<double> types)
    : force_(std::move(force)), types_(std::move(types)) {
    if (types_.empty()) throw InputError("types is empty: allowed is at least one type of particles");
}

bool AmongTypes::counts(double type) const { return std::ranges::find(types_, type) != types_.end(); }

std::vector<std::uint32_t> AmongTypes::rows_that_count(const ParticleSet& particles) const {
    std::vector<std::uint32_t> rows;
    const auto types = particles[particle_type];
    for (std::uint32_t row = 0; row < types.size(); ++row)
        if (counts(types[row])) rows.push_back(row);
    return rows;
}

// True if other rows count than last time.
bool AmongTypes::choose_rows(const ParticleSet& particles) {
    auto rows = rows_that_count(particles);
    if (rows == rows_ && arrangement_ == particles.arrangement()) return false;
    const bool others = !rows_.empty();
    rows_ = std::move(rows);
    arrangement_ = particles.arrangement();
    chosen_.replace_rows({}, rows_.size());
    return others;
}

void AmongTypes::attach(ParticleSet& particles, std::size_t number) {
    force_->attach(particles, number);
    const ParticleSet bare(0);
    force_->attach(chosen_, number);
    for (const auto& column : chosen_.columns())
        if (!bare.has(column->info().name)) own_.push_back(column->info().name);
    for (const FieldInfo& field : results())
        if (bare.has(field.name)) own_.push_back(field.name);
}

void AmongTypes::dispatch(ParticleSet& particles, const ForceStep& step, Phases& phases) {
    if (!particles.has(ParticleType::name)) return force_->dispatch(particles, step, phases);
    ForceStep among = step;
    {
        const PhaseTimer timer(phases, Phase::copy_all);
        const bool others = choose_rows(particles);
        if (step.ranks == nullptr ? others : any_rank(*step.ranks->comm, others)) among.may_reuse = false;
        gather_all(particles, rows_, chosen_);
        previous_.resize(step.previous.empty() ? 0 : rows_.size());
        for (std::size_t k = 0; k < previous_.size(); ++k) previous_[k] = step.previous[rows_[k]];
        among.previous = previous_;
    }
    force_->dispatch(chosen_, among, phases);
}

// Results are added; the other columns that the force writes are replaced.
Work AmongTypes::retrieve(ParticleSet& particles, Phases& phases) {
    if (!particles.has(ParticleType::name)) return force_->retrieve(particles, phases);
    for (const FieldInfo& field : results()) gather(particles.column(field.name), rows_, chosen_.column(field.name));
    const Work work = force_->retrieve(chosen_, phases);
    const PhaseTimer timer(phases, Phase::copy_all);
    for (const std::string& name : own_) scatter(chosen_.column(name), rows_, particles.column(name));
    return work;
}

double AmongTypes::longest_step(const ParticleSet& particles) const {
    if (!particles.has(ParticleType::name)) return force_->longest_step(particles);
    const auto rows = rows_that_count(particles);
    ParticleSet among(rows.size());
    gather_all(particles, rows, among);
    return force_->longest_step(among);
}

void AmongTypes::reference(const ParticleSet& sources, const ParticleSet& targets, std::uint32_t row, std::int64_t self,
                           double* values) const {
    if (!sources.has(ParticleType::name)) return force_->reference(sources, targets, row, self, values);
    if (!counts(targets[particle_type][row])) {
        std::fill_n(values, components_of(results()), 0.0);
        return;
    }
    const auto rows = rows_that_count(sources);
    ParticleSet among(rows.size());
    gather_all(sources, rows, among);
    const auto found = std::ranges::find(rows, self);
    force_->reference(among, targets, row, found == rows.end() ? -1 : found - rows.begin(), values);
}

}  // namespace trellis
