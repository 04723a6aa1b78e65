#include "trellis/forces/gravity/periodic/periodic_gravity.hpp"

#include <cmath>
#include <functional>
#include <numeric>
#include <optional>
#include <utility>

#include "trellis/base/parallel.hpp"
#include "trellis/forces/gravity/periodic/ewald.hpp"
#include "trellis/forces/gravity/periodic/far_images.hpp"
#include "trellis/forces/tree/periodic/cube_complement.hpp"
#include "trellis/ranks/comm/async_reduction.hpp"
#include "trellis/tree/softening.hpp"

namespace trellis {

using namespace fields;

namespace {

PointValues times(double factor, PointValues points) {
    for (double& point : points) point *= factor;
    return points;
}

// Masses times the part of the widening that comes from the sources.
std::vector<double> widened_masses(const ParticleSet& particles) {
    const auto masses = particles[mass], e = particles[softening];
    std::vector<double> widened(masses.size());
    parallel_for(widened.size(), [&](std::size_t row) { widened[row] = masses[row] * widening_of(e[row]); });
    return widened;
}

class PeriodicGravity final : public CubeComplement {
  public:
    explicit PeriodicGravity(std::shared_ptr<const PeriodicGravitySettings> settings)
        : CubeComplement("gravity"), settings_(std::move(settings)) {}

    void check(const Region& region, double accuracy) const override {
        check_cube(region, accuracy, "are equal periods, or with method treepm any along all axes");
    }

    double strength_of(const ParticleSet& particles) const override {
        const auto masses = particles[mass];
        return std::accumulate(masses.begin(), masses.end(), 0.0);
    }

    void add(ParticleSet& particles, Phases& phases) override {
        forces(phases);
        const PhaseTimer timer(phases, Phase::force_kernel);
        const ParticleSet& sources = particles;
        const std::size_t with_own = settings_->softening_of_each ? particles.size() : 0;
        std::vector<double> values(particles.size()), widenings(with_own);
        for (std::size_t row = 0; row < with_own; ++row) widenings[row] = widening_of(sources[softening][row]);
        far_.add(sources[position], widenings, settings_->G, values, particles[acceleration]);
        const auto phi = particles[potential];
        parallel_for(phi.size(), [&](std::size_t row) { phi[row] -= values[row]; });
    }

    void reference(const ParticleSet& sources, const ParticleSet& targets, std::uint32_t row, std::int64_t self,
                   double* values) const override {
        gravity_of_all_images(*settings_, sources, targets, row, self, values);
    }

  private:
    // Sums over all ranks.
    struct Sums {
        SumOfPoints strengths;
        std::optional<SumOfPoints> widened;
        AsyncReduction<double, std::plus<>> count;
    };

    bool begin_sums(const ParticleSet& particles, Comm& comm) override {
        const auto of_all = [&](std::span<const double> values) {
            return SumOfPoints(comm, spread_onto_points(cube(), particles[position], values), &sum_of_points);
        };
        sums_ = std::make_unique<Sums>(
            Sums{of_all(particles[mass]), {}, {comm, static_cast<double>(particles.size()), {}}});
        if (settings_->softening_of_each) sums_->widened.emplace(of_all(widened_masses(particles)));
        return sums_->count.under_way();
    }

    ReferenceForces finish_sums() override {
        const PointValues strengths = sums_->strengths.finish();
        far_.act(
            cube(), strengths,
            sums_->widened ? sums_->widened->finish() : times(settings_->softening * settings_->softening, strengths),
            settings_->softening_of_each);
        const double count = sums_->count.finish();
        sums_ = nullptr;
        // The spread strengths add up to the total mass.
        const double weight = std::accumulate(strengths.begin(), strengths.end(), 0.0);
        return forces_in(cube().side, weight, count);
    }

    ReferenceForces forces_in(double side, double strength, double count) const override {
        const double whole = strength / (side * side);
        return {count > 0 ? whole / std::cbrt(count) : 0, whole};
    }

    std::shared_ptr<const PeriodicGravitySettings> settings_;
    std::unique_ptr<Sums> sums_;  // null: they are known
    FarImages far_;
};

}  // namespace

void gravity_of_all_images(const PeriodicGravitySettings& settings, const ParticleSet& sources,
                           const ParticleSet& targets, std::uint32_t row, std::int64_t self, double* values) {
    const Region& region = sources.region();
    const bool each = settings.softening_of_each;
    const double e = settings.softening;
    const LatticeField field = lattice_sum(
        {sources[position], sources[mass], each ? sources[softening] : std::span<const double>()},
        targets[position][row], each ? widening_of(targets[softening][row]) : e * e, self, region.high - region.low);
    // The gradients are derivatives by the position of the source.
    for (std::size_t axis = 0; axis < 3; ++axis) values[axis] = -settings.G * field.gradient[axis];
    values[3] = -settings.G * field.value;
}

std::unique_ptr<PeriodicComplement> periodic_gravity(std::shared_ptr<const PeriodicGravitySettings> settings) {
    return std::make_unique<PeriodicGravity>(std::move(settings));
}

}  // namespace trellis
