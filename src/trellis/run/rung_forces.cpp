#include "trellis/run/rung_forces.hpp"

#include <algorithm>

#include "trellis/ranks/comm/collective.hpp"

namespace trellis {

RungForces::RungForces(const std::vector<std::shared_ptr<Force>>& forces, const Domains& domains, Phases& phases)
    : all_(forces), domains_(domains), phases_(phases) {
    for (const auto& force : forces) {
        if (!force->sums_over_pairs()) continue;
        among_level_.add(force);
        for (const FieldInfo& field : force->results())
            if (std::ranges::find(results_, field.name) == results_.end()) results_.push_back(field.name);
    }
}

void RungForces::compute(ParticleSet& level, std::span<const double> previous, double time) {
    const ForceStep step{.previous = previous, .ranks = domains_.ranks(), .time = time, .lists_alone = true};
    while (!among_level_.compute(level, step, 0, domains_.comm(), phases_)) {
    }
    work_ += among_level_.work();
    total_work_ += among_level_.total_work();
}

void RungForces::allowed_steps(const ParticleSet& all, double time, std::span<const std::uint32_t> rows,
                               std::span<double> steps) const {
    for (const auto& force : all_) force->allowed_steps(all, time, ActiveRows(rows), steps);
}

void RungForces::add_over_ranks(RungCounts& counts) {
    counts = all_reduce(domains_.comm(), counts, [](RungCounts a, const RungCounts& b) {
        for (std::size_t rung = 0; rung < a.size(); ++rung) a[rung] += b[rung];
        return a;
    });
}

double RungForces::largest_on_ranks(double here) {
    return all_reduce(domains_.comm(), here, [](double a, double b) { return std::max(a, b); });
}

bool RungForces::on_any_rank(bool here) { return any_rank(domains_.comm(), here); }

}  // namespace trellis
