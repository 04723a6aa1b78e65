#include "trellis/forces/decorators/among_types.hpp"

#include <algorithm>
#include <utility>

#include "trellis/base/error.hpp"
#include "trellis/ranks/comm/collective.hpp"

namespace trellis {

using namespace fields;

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

void AmongTypes::attach(ParticleSet& particles, std::size_t number) {
    force_->attach(particles, number);
    const ParticleSet bare(0);
    subset_.particles().set_region(particles.region());  // a force may need a periodic one
    force_->attach(subset_.particles(), number);
    for (const auto& column : subset_.particles().columns())
        if (!bare.has(column->info().name)) written_.push_back(column->info().name);
    for (const FieldInfo& field : results())
        if (bare.has(field.name)) written_.push_back(field.name);
}

std::vector<std::string> AmongTypes::reads() const {
    std::vector<std::string> names = force_->reads();
    names.emplace_back(ParticleType::name);
    return names;
}

void AmongTypes::resume(ParticleSet& particles, double time, const Ranks* ranks) {
    if (!particles.has(ParticleType::name)) return force_->resume(particles, time, ranks);
    subset_.choose(particles, rows_that_count(particles));
    subset_.gather(particles);
    force_->resume(subset_.particles(), time, ranks);
}

void AmongTypes::dispatch(ParticleSet& particles, const ForceStep& step, Phases& phases) {
    if (!particles.has(ParticleType::name)) return force_->dispatch(particles, step, phases);
    ForceStep among = step;
    {
        const PhaseTimer timer(phases, Phase::copy_all);
        const bool others = subset_.choose(particles, rows_that_count(particles));
        if (step.ranks == nullptr ? others : any_rank(*step.ranks->comm, others)) among.may_reuse = false;
        subset_.gather(particles);
        previous_.resize(step.previous.empty() ? 0 : subset_.rows().size());
        for (std::size_t k = 0; k < previous_.size(); ++k) previous_[k] = step.previous[subset_.rows()[k]];
        among.previous = previous_;
        among.active = active_of_subset(step.active, particles.size());
    }
    force_->dispatch(subset_.particles(), among, phases);
}

// The rows of the subset that are active rows of all particles.
ActiveRows AmongTypes::active_of_subset(const ActiveRows& active, std::size_t rows) {
    if (active.all()) return active;
    active_.clear();
    const auto chosen = subset_.rows();
    std::size_t next = 0;
    for (std::uint32_t k = 0; k < chosen.size(); ++k) {
        while (next < active.count(rows) && active[next] < chosen[k]) ++next;
        if (next < active.count(rows) && active[next] == chosen[k]) active_.push_back(k);
    }
    return ActiveRows(active_);
}

// Results are added; the other columns that the force writes are replaced.
Work AmongTypes::retrieve(ParticleSet& particles, Phases& phases) {
    if (!particles.has(ParticleType::name)) return force_->retrieve(particles, phases);
    for (const FieldInfo& field : results()) subset_.gather(particles, field.name);
    const Work work = force_->retrieve(subset_.particles(), phases);
    const PhaseTimer timer(phases, Phase::copy_all);
    for (const std::string& name : written_) subset_.scatter(name, particles);
    return work;
}

void AmongTypes::allowed_steps(const ParticleSet& particles, double time, const ActiveRows& rows, Comm* ranks,
                               std::span<double> steps) const {
    if (!particles.has(ParticleType::name)) return force_->allowed_steps(particles, time, rows, ranks, steps);
    std::vector<std::uint32_t> counting;  // rows, and the same as numbers among the active ones
    std::vector<std::size_t> numbers;
    const auto types = particles[particle_type];
    for (std::size_t k = 0; k < steps.size(); ++k) {
        if (!counts(types[rows[k]])) continue;
        counting.push_back(rows[k]);
        numbers.push_back(k);
    }
    ParticleSubset among;
    among.choose(particles, std::move(counting));
    among.gather(particles);
    std::vector<double> of_subset(numbers.size());
    for (std::size_t k = 0; k < numbers.size(); ++k) of_subset[k] = steps[numbers[k]];
    force_->allowed_steps(among.particles(), time, {}, ranks, of_subset);
    for (std::size_t k = 0; k < numbers.size(); ++k) steps[numbers[k]] = of_subset[k];
}

void AmongTypes::reference(const ParticleSet& sources, const ParticleSet& targets, std::uint32_t row, std::int64_t self,
                           double time, double* values) const {
    if (!sources.has(ParticleType::name)) return force_->reference(sources, targets, row, self, time, values);
    if (!counts(targets[particle_type][row])) {
        std::fill_n(values, components_of(results()), 0.0);
        return;
    }
    ParticleSubset among;
    among.choose(sources, rows_that_count(sources));
    among.gather(sources);
    const auto found = std::ranges::find(among.rows(), self);
    const std::int64_t self_among = found == among.rows().end() ? -1 : found - among.rows().begin();
    force_->reference(among.particles(), targets, row, self_among, time, values);
}

}  // namespace trellis
