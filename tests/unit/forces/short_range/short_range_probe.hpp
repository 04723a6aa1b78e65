// A short-range interaction with all features: sums, extremes, and the terms that finish adds; and particles with
// search radii of their own.
#pragma once

#include <algorithm>
#include <cmath>
#include <memory>
#include <random>

#include "trellis/compile.hpp"
#include "trellis/run/simulation.hpp"

namespace trellis {

using namespace fields;

struct Reach : Field<double, "reach", "length", "radius of search"> {};
struct Fastest : Field<double, "fastest", "", "largest of some value"> {};
struct Slowest : Field<double, "slowest", "", "smallest of some value"> {};
struct Partners : Field<double, "partners", "", "number of pairs"> {};
inline constexpr Reach reach;
inline constexpr Fastest fastest;
inline constexpr Slowest slowest;
inline constexpr Partners partners;

template <class How>
struct Probe {
    using Target = Fields<Position, Reach>;
    using Source = Fields<Position, Mass, Reach>;
    using Result = Fields<Acceleration, Partners>;
    using Maximum = Fields<Fastest>;
    using Minimum = Fields<Slowest>;
    using Search = How;
    double cutoff = 0;

    TRELLIS_HOST_DEVICE void operator()(const auto& i, const auto& j, auto& sum) const {
        const auto d = j[position] - i[position];
        const auto pull = j[mass] * (1.5f - sqrt(dot(d, d))) * i[reach];
        sum[acceleration] += pull * d;
        sum[partners] += 1.0f;
        sum[fastest].raise_to(pull - 5.0f);
        sum[slowest].lower_to(pull);
    }
    TRELLIS_HOST_DEVICE void finish(const auto& i, auto& sum) const { sum[acceleration] += i[position] * 0.25; }
};

// Particles in the unit cube, a third of them in a cube of side spread in its middle.
inline std::shared_ptr<ParticleSet> scattered(std::size_t count, const Region& region, double spread) {
    auto particles = std::make_shared<ParticleSet>(count);
    particles->set_region(region);
    std::mt19937_64 random(7);
    std::uniform_real_distribution<double> uniform;
    const auto x = (*particles)[position];
    const auto m = (*particles)[mass];
    const auto r = particles->add(reach);
    for (std::size_t k = 0; k < count; ++k) {
        x[k] = {uniform(random), uniform(random), uniform(random)};
        if (k % 3 == 0)
            x[k] = {0.5 + spread * (x[k].x - 0.5), 0.5 + spread * (x[k].y - 0.5), 0.5 + spread * (x[k].z - 0.5)};
        m[k] = 0.5 + uniform(random);
        r[k] = 0.02 + 0.1 * uniform(random) * uniform(random);
    }
    return particles;
}

// EXPECTs the results of direct summation; tolerance: relative to the largest acceleration. Returns the number of pairs
// within the search radius.
inline std::uint64_t expect_exact(const Force& force, const ParticleSet& particles, double tolerance) {
    double scale = 0;
    for (const auto& a : particles[acceleration]) scale = std::max(scale, std::sqrt(dot(a, a)));
    std::uint64_t pairs = 0;
    for (std::uint32_t row = 0; row < particles.size(); ++row) {
        double exact[6];
        force.reference(particles, particles, row, row, 0, exact);
        for (std::size_t c = 0; c < 3; ++c) EXPECT_NEAR(particles[acceleration][row][c], exact[c], tolerance * scale);
        EXPECT_EQ(particles[partners][row], exact[3]) << row;
        EXPECT_NEAR(particles[fastest][row], exact[4], tolerance * 10);
        EXPECT_NEAR(particles[slowest][row], exact[5], tolerance * 10);
        pairs += static_cast<std::uint64_t>(exact[3]);
    }
    return pairs;
}

inline Region slab() {
    Region region;
    region.low = {0, -Region::infinity, 0};
    region.high = {1, Region::infinity, 1};
    return region;
}

inline const Region cube{{0, 0, 0}, {1, 1, 1}};

}  // namespace trellis
