#include "trellis/forces/external/external_force.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "trellis/base/error.hpp"
#include "trellis/base/parallel.hpp"
#include "trellis/forces/checks.hpp"
#include "trellis/forces/components.hpp"
#include "trellis/forces/result_components.hpp"

namespace trellis {

namespace {

constexpr double cost_of_a_particle = 10;  // in pairs, about

}  // namespace

ExternalForce::ExternalForce(std::shared_ptr<const ExternalField> field) : field_(std::move(field)) {}

void ExternalForce::attach(ParticleSet& particles, std::size_t) {
    for (const FieldInfo& field : results())
        if (!particles.has(field.name)) particles.add(field);
}

void ExternalForce::dispatch(ParticleSet& particles, const ForceStep& step, Phases& phases) {
    const PhaseTimer timer(phases, Phase::force_kernel);
    check_columns(particles, field_->reads(), std::nullopt);
    values_.resize(particles.size() * width());
    field_->evaluate({particles, 0, particles.size(), step.time, step.since_kick}, values_.data());
    check_values(particles, step.time);
}

bool ExternalForce::sums_over_pairs() const { return !reads_velocity(field_->reads()); }

void ExternalForce::check_values(const ParticleSet& particles, double time) const {
    const auto smallest = [](std::size_t a, std::size_t b) { return std::min(a, b); };
    const std::size_t found = parallel_reduce(
        values_.size(), values_.size(),
        [&](std::size_t begin, std::size_t end) {
            const auto first = values_.begin() + static_cast<std::ptrdiff_t>(begin);
            const auto last = values_.begin() + static_cast<std::ptrdiff_t>(end);
            const auto wrong = std::find_if(first, last, [](double value) { return !std::isfinite(value); });
            return wrong == last ? values_.size() : static_cast<std::size_t>(wrong - values_.begin());
        },
        smallest);
    if (found == values_.size()) return;
    const std::size_t row = found / width();
    const Vec3<double>& x = particles[fields::position][row];
    throw InputError("an external field is not finite at (" + to_text(x.x) + ", " + to_text(x.y) + ", " + to_text(x.z) +
                     ") and time " + to_text(time) + ", where the particle of id " +
                     std::to_string(particles[fields::id][row]) + " is");
}

Work ExternalForce::retrieve(ParticleSet& particles, Phases& phases) {
    const PhaseTimer timer(phases, Phase::force_kernel);
    std::vector<ResultComponent> to;
    find_components(particles, results(), to);
    const std::size_t count = width();
    parallel_for(particles.size(), [&](std::size_t row) {
        const double* values = values_.data() + row * count;
        for (std::size_t c = 0; c < count; ++c) to[c].values[row * to[c].stride] += values[c];
    });
    Work work;
    work.cost = cost_of_a_particle * static_cast<double>(particles.size());
    return work;
}

void ExternalForce::reference(const ParticleSet& /*sources*/, const ParticleSet& targets, std::uint32_t row,
                              std::int64_t /*self*/, double time, double* values) const {
    field_->evaluate({targets, row, 1, time}, values);
}

}  // namespace trellis
