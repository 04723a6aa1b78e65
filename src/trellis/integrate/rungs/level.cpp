#include "trellis/integrate/rungs/level.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "trellis/base/parallel.hpp"
#include "trellis/forces/external/mutual_acceleration.hpp"
#include "trellis/particles/motion.hpp"

namespace trellis {

using namespace fields;

bool Level::choose(const ParticleSet& all, std::vector<std::uint32_t> rows, std::vector<std::uint32_t> acting,
                   bool acts) {
    rows_ = std::move(rows);
    indices_.clear();
    std::uint32_t index = 0;
    for (const std::uint32_t row : acting) {
        while (rows_[index] != row) ++index;
        indices_.push_back(index);
    }
    acts_ = acts;
    const bool changed = !std::ranges::equal(acting, particles_.rows());
    const bool others = particles_.choose(all, std::move(acting)) || changed || !known_;
    if (others && acts) particles_.gather(all);
    return others;
}

void Level::compute(const ParticleSet& all, LevelForces& forces, double time) {
    known_ = true;
    if (!acts_) return;
    particles_.gather(all, Position::name);
    previous_.resize(acting().size());
    const MutualAccelerations a(all);
    parallel_for(previous_.size(), [&](std::size_t k) { previous_[k] = a.magnitude(acting()[k]); });
    forces.compute(particles_.particles(), previous_, time);
}

void Level::collect(const ParticleSet& all, const LevelForces& forces, bool own_steps) {
    results_.resize(forces.results().size());
    for (std::size_t number = 0; number < results_.size(); ++number) {
        Result& result = results_[number];
        result.name = forces.results()[number];
        result.components = all.column(result.name).info().components;
        result.values.assign(rows_.size() * result.components, 0);
        if (acts_) {
            const double* from = std::as_const(particles_).particles().column(result.name).values();
            parallel_for(indices_.size(), [&](std::size_t k) {
                std::copy_n(from + k * result.components, result.components,
                            result.values.data() + indices_[k] * result.components);
            });
        }
        if (own_steps) forces.add_at_own_steps(all, rows_, result.name, result.values);
    }
}

const Level::Result& Level::result(std::string_view name) const {
    return *std::ranges::find(results_, name, &Result::name);
}

void Level::note_others(const ParticleSet& all) {
    for (Result& result : results_) {
        const double* whole = all.column(result.name).values();
        result.others.resize(result.values.size());
        parallel_for(result.others.size(), [&](std::size_t k) {
            const std::size_t row = rows_[k / result.components], c = k % result.components;
            result.others[k] = whole[row * result.components + c] - result.values[k];
        });
    }
}

void Level::update(ParticleSet& all) const {
    for (const Result& result : results_) {
        double* whole = all.column(result.name).values();
        parallel_for(result.others.size(), [&](std::size_t k) {
            const std::size_t row = rows_[k / result.components], c = k % result.components;
            whole[row * result.components + c] = result.others[k] + result.values[k];
        });
    }
}

std::vector<Level::Pull> Level::pulls_by_others(const LevelForces& forces, double time, double scale,
                                                const Level* without) {
    std::vector<Pull> pulls(acting().size());
    if (pulls.empty()) return pulls;
    ParticleSet& particles = particles_.particles();
    std::vector<std::vector<double>> own;
    for (const Result& result : results_) {
        const std::size_t width = result.components;
        double* values = particles.column(result.name).values();
        own.emplace_back(values, values + indices_.size() * width);
        const std::vector<double>* less = without == nullptr ? nullptr : &without->result(result.name).others;
        parallel_for(indices_.size() * width, [&](std::size_t i) {
            const std::size_t k = i / width, c = i % width;
            values[i] = result.others[indices_[k] * width + c];
            if (less != nullptr) values[i] -= (*less)[acting()[k] * width + c];
        });
    }
    std::vector<double> steps(pulls.size(), std::numeric_limits<double>::infinity());
    forces.allowed_steps_of_level(particles, time, scale, steps);
    const auto a = std::as_const(particles)[acceleration];
    parallel_for(pulls.size(), [&](std::size_t k) { pulls[k] = {steps[k], std::sqrt(dot(a[k], a[k]))}; });
    for (std::size_t number = 0; number < own.size(); ++number)
        std::ranges::copy(own[number], particles.column(results_[number].name).values());
    return pulls;
}

std::vector<double> Level::values() const {
    std::vector<double> values;
    for (std::size_t k = 0; k < rows_.size(); ++k)
        for (const Result& result : results_) {
            const auto of_row = result.values.begin() + static_cast<std::ptrdiff_t>(k * result.components);
            values.insert(values.end(), of_row, of_row + static_cast<std::ptrdiff_t>(result.components));
        }
    return values;
}

void Level::set_values(const ParticleSet& all, std::span<const double> values) {
    particles_.gather(all);
    for (std::size_t k = 0; k < rows_.size(); ++k)
        for (Result& result : results_) {
            std::ranges::copy(values.first(result.components), &result.values[k * result.components]);
            values = values.subspan(result.components);
        }
    for (const Result& result : results_)
        std::ranges::copy(result.values, particles_.particles().column(result.name).values());
}

void Level::kick(ParticleSet& all, std::span<const Evolution> kicks, double time) const {
    const FreeRows free(all);
    for (const Evolution& kick : kicks) {
        const bool moves = is_motion(all.column(kick.value).info());
        double* kicked = all.column(kick.value).values();
        const Result& rate = result(kick.rate);
        parallel_for(rows_.size(), [&](std::size_t k) {
            if (moves && !free[rows_[k]]) return;
            for (std::size_t c = 0; c < rate.components; ++c)
                kicked[rows_[k] * rate.components + c] += time * rate.values[k * rate.components + c];
        });
    }
}

void Level::add_accelerations(const ParticleSet& all, double factor, std::span<Vec3<double>> sums) const {
    const std::vector<double>& a = result(Acceleration::name).values;
    const FreeRows free(all);
    parallel_for(rows_.size(), [&](std::size_t k) {
        if (free[rows_[k]]) sums[rows_[k]] += factor * Vec3<double>{a[3 * k], a[3 * k + 1], a[3 * k + 2]};
    });
}

void Level::kick_displaced(ParticleSet& all, std::span<const Vec3<double>> displacements, LevelForces& forces,
                           double time, double kick) {
    const std::vector<Result> present = results_;
    const auto x = particles_.particles()[position];
    parallel_for(acting().size(), [&](std::size_t k) { x[k] += displacements[acting()[k]]; });
    forces.compute(particles_.particles(), previous_, time);
    collect(all, forces, false);
    this->kick(all, forces.kicks(), kick);
    results_ = present;
}

}  // namespace trellis
