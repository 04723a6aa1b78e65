#include "trellis/forces/gravity/periodic/periodic_gravity.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numeric>
#include <string>
#include <utility>

#include "trellis/base/error.hpp"
#include "trellis/base/parallel.hpp"
#include "trellis/forces/gravity/periodic/far_images.hpp"
#include "trellis/ranks/comm/collective.hpp"
#include "trellis/tree/softening.hpp"

namespace trellis {

using namespace fields;

namespace {

// The least accuracy that far images have everywhere, where forces do not cancel.
constexpr double finest_in_box = 1e-6;

// Sides of a cube may differ by rounding.
bool is_cube(const Region& region) {
    const Vec3<double> sides = region.high - region.low;
    return std::abs(sides.y - sides.x) <= 1e-12 * sides.x && std::abs(sides.z - sides.x) <= 1e-12 * sides.x;
}

PeriodicCube cube_of(const Region& region) { return {(region.low + region.high) * 0.5, region.high.x - region.low.x}; }

void check_reach(const ParticleSet& particles, const PeriodicCube& cube) {
    const auto places = particles[position];
    for (std::size_t row = 0; row < places.size(); ++row)
        for (std::size_t axis = 0; axis < 3; ++axis)
            if (std::abs(places[row][axis] - cube.centre[axis]) > cube.reach())
                throw RunError("the particle at index " + std::to_string(row) + " has gone " +
                               to_text(std::abs(places[row][axis] - cube.centre[axis]) - 0.5 * cube.side) +
                               " beyond the periodic box since it was last brought back: allowed under gravity is up "
                               "to an eighth of the side");
}

using Points = std::array<double, FarImages::points>;

Points added(Points a, const Points& b) {
    for (std::size_t k = 0; k < a.size(); ++k) a[k] += b[k];
    return a;
}

Points times(double factor, Points points) {
    for (double& point : points) point *= factor;
    return points;
}

// Masses times the sources' part of the widening.
std::vector<double> widened_masses(const ParticleSet& particles) {
    const auto masses = particles[mass], e = particles[softening];
    std::vector<double> widened(masses.size());
    parallel_for(widened.size(), [&](std::size_t row) { widened[row] = masses[row] * widening_of(e[row]); });
    return widened;
}

class PeriodicGravity final : public LatticeSum {
  public:
    explicit PeriodicGravity(std::shared_ptr<const PeriodicGravitySettings> settings)
        : settings_(std::move(settings)) {}

    void check(const Region& region, double accuracy) const override {
        for (std::size_t axis = 0; axis < 3; ++axis)
            if (!region.periodic(axis))
                throw InputError(std::string("the particles' box is open along ") + "xyz"[axis] +
                                 " and periodic along another axis: allowed under gravity are boxes that are open "
                                 "along all axes, or periodic along all");
        if (!is_cube(region))
            throw InputError("the particles' periodic box has the sides " + to_text(region.high.x - region.low.x) +
                             ", " + to_text(region.high.y - region.low.y) + " and " +
                             to_text(region.high.z - region.low.z) +
                             ": allowed is a cube, or with method treepm any box");
        if (accuracy < finest_in_box)
            throw InputError("accuracy is " + to_text(accuracy) + ": allowed in a periodic box is " +
                             to_text(finest_in_box) + " or more");
    }

    ForcesInBox gather(ParticleSet& all_columns, const Ranks* ranks, Phases& phases) override {
        const PhaseTimer timer(phases, Phase::calculate_moments);
        const ParticleSet& particles = all_columns;
        Comm* comm = ranks == nullptr ? nullptr : ranks->comm.get();
        const PeriodicCube cube = cube_of(particles.region());
        check_reach(particles, cube);
        const auto of_all = [&](std::span<const double> values) {
            const std::vector<double> own = FarImages::spread(cube, particles[position], values);
            Points all;
            std::ranges::copy(own, all.begin());
            return comm == nullptr ? all : all_reduce(*comm, all, added);
        };
        const Points of_strengths = of_all(particles[mass]);
        far_.act(cube, of_strengths,
                 settings_->softening_of_each ? of_all(widened_masses(particles))
                                              : times(settings_->softening * settings_->softening, of_strengths),
                 settings_->softening_of_each);
        // What is spread adds up to what there is.
        const double weight = std::accumulate(of_strengths.begin(), of_strengths.end(), 0.0);
        auto count = static_cast<double>(particles.size());
        if (comm != nullptr) count = all_reduce(*comm, count, std::plus<>());
        const double whole = weight / (cube.side * cube.side);
        return {count > 0 ? whole / std::cbrt(count) : 0, whole};
    }

    void add(ParticleSet& particles, Phases& phases) override {
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
    std::shared_ptr<const PeriodicGravitySettings> settings_;
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
    // Gradients are by the place of the source.
    for (std::size_t axis = 0; axis < 3; ++axis) values[axis] = -settings.G * field.gradient[axis];
    values[3] = -settings.G * field.value;
}

std::unique_ptr<LatticeSum> periodic_gravity(std::shared_ptr<const PeriodicGravitySettings> settings) {
    return std::make_unique<PeriodicGravity>(std::move(settings));
}

}  // namespace trellis
