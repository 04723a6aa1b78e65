// Forces of short range against the sum over all pairs and images in double precision.
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <trellis/trellis.hpp>

using namespace trellis;

namespace {

struct Reach : Field<double, "reach", "length", "radius of search"> {};
struct Fastest : Field<double, "fastest", "", "largest of some value"> {};
struct Slowest : Field<double, "slowest", "", "smallest of some value"> {};
struct Met : Field<double, "met", "", "how many were met"> {};
inline constexpr Reach reach;
inline constexpr Fastest fastest;
inline constexpr Slowest slowest;
inline constexpr Met met;

// Something that depends on everything: sums, extremes, and what finish adds.
template <class How>
struct Probe {
    using Target = Fields<Position, Reach>;
    using Source = Fields<Position, Mass, Reach>;
    using Result = Fields<Acceleration, Met>;
    using Maximum = Fields<Fastest>;
    using Minimum = Fields<Slowest>;
    using Search = How;
    double cutoff = 0;

    TRELLIS_HOST_DEVICE void operator()(const auto& i, const auto& j, auto& sum) const {
        const auto d = j[position] - i[position];
        const auto pull = j[mass] * (1.5f - sqrt(dot(d, d))) * i[reach];
        sum[acceleration] += pull * d;
        sum[met] += 1.0f;
        sum[fastest].raise_to(pull - 5.0f);
        sum[slowest].lower_to(pull);
    }
    TRELLIS_HOST_DEVICE void finish(const auto& i, auto& sum) const { sum[acceleration] += i[position] * 0.25; }
};

std::shared_ptr<ParticleSet> scattered(std::size_t count, const Region& region, double spread) {
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

template <class How>
void compare(const Region& region, std::size_t count, double cutoff, const ShortRangeSettings& settings,
             double tolerance) {
    const auto particles = scattered(count, region, 0.2);
    Simulation simulation(particles, 0.1);
    simulation.add_force(short_range_force(Probe<How>{cutoff}, settings));
    simulation.compute_forces();
    const auto& force = *simulation.forces()[0];
    double scale = 0;
    for (const auto& a : (*particles)[acceleration]) scale = std::max(scale, std::sqrt(dot(a, a)));
    std::uint64_t pairs = 0;
    for (std::uint32_t row = 0; row < count; ++row) {
        double exact[6];
        force.reference(*particles, *particles, row, row, exact);
        const auto a = (*particles)[acceleration][row];
        for (std::size_t c = 0; c < 3; ++c) ASSERT_NEAR(a[c], exact[c], tolerance * scale);
        ASSERT_EQ((*particles)[met][row], exact[3]) << row;
        ASSERT_NEAR((*particles)[fastest][row], exact[4], tolerance * 10);
        ASSERT_NEAR((*particles)[slowest][row], exact[5], tolerance * 10);
        pairs += static_cast<std::uint64_t>(exact[3]);
    }
    EXPECT_GT(pairs, count);
    EXPECT_LT(simulation.work().pairs, std::uint64_t{count} * count / 2);
}

Region slab() {
    Region region;
    region.low = {0, -Region::infinity, 0};
    region.high = {1, Region::infinity, 1};
    return region;
}

const Region cube{{0, 0, 0}, {1, 1, 1}};

}  // namespace

TEST(ShortRange, SumsOverThoseWithinAConstantCutoff) { compare<Cutoff>({}, 3000, 0.08, {}, 1e-6); }
TEST(ShortRange, SumsOverThoseWithinTheRadiusOfI) { compare<Gather<Reach>>({}, 3000, 0, {}, 1e-6); }
TEST(ShortRange, SumsOverThoseWithinTheRadiusOfJ) { compare<Scatter<Reach>>({}, 3000, 0, {}, 1e-6); }
TEST(ShortRange, SumsOverThoseWithinTheRadiusOfEither) { compare<Symmetric<Reach>>({}, 3000, 0, {}, 1e-6); }
TEST(ShortRange, InDoublePrecisionIsRightToTheLastDigits) {
    compare<Symmetric<Reach>>(cube, 3000, 0, {.precision = Precision::double_}, 1e-14);
}
TEST(ShortRange, MeetsImagesAcrossEveryFaceThatRepeats) {
    compare<Cutoff>(cube, 3000, 0.08, {}, 1e-6);
    compare<Cutoff>(slab(), 3000, 0.08, {}, 1e-6);
    compare<Gather<Reach>>(cube, 3000, 0, {}, 1e-6);
    compare<Scatter<Reach>>(cube, 3000, 0, {}, 1e-6);
    compare<Symmetric<Reach>>(slab(), 3000, 0, {}, 1e-6);
}
