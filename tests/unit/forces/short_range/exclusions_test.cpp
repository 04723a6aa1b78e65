// Excluded and scaled pairs of short-range forces against the sum over all other pairs and images.
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <tuple>

#include "trellis/devices/remote/open.hpp"
#include "unit/error_message.hpp"
#include "unit/forces/short_range/short_range_probe.hpp"
#include "unit/run/simulation_on_ranks.hpp"
#include "unit/with_threads.hpp"

namespace trellis::short_range_exclusions_test {

using namespace fields;

Vec3<double> nearest_image(const ParticleSet& particles, Vec3<double> d) {
    for (std::size_t axis = 0; axis < 3; ++axis)
        if (particles.region().periodic(axis)) d[axis] -= std::round(d[axis]);  // the box has the length 1
    return d;
}

// Pairs near each other, as those of molecules, by turns without any force and with half and more of it; also a pair
// that is far apart.
std::vector<ExcludedPair> near_pairs(const ParticleSet& particles, double within) {
    std::vector<ExcludedPair> pairs{{0, particles.size() - 1}};
    constexpr double factors[] = {0, 0.5, 0, 1.25};
    const auto x = particles[position];
    for (std::uint64_t i = 1; i < particles.size(); ++i)
        for (std::uint64_t j = i + 1; j + 1 < particles.size(); ++j) {
            const Vec3<double> d = nearest_image(particles, x[j] - x[i]);
            if (dot(d, d) < within * within) pairs.push_back({j, i, factors[(i + j) % 4]});
        }
    return pairs;
}

struct Sums {
    Vec3<double> pull{0, 0, 0};
    double partners = 0, fastest = 0, slowest = 0;
};

// The outcome of Probe by a double loop, with a cutoff below half the box. rows are ids.
template <class How>
std::vector<Sums> direct(const ParticleSet& particles, double cutoff, const std::vector<ExcludedPair>& pairs) {
    std::map<std::pair<std::uint64_t, std::uint64_t>, double> factors;
    for (const auto& [one, other, factor] : pairs) factors[{one, other}] = factors[{other, one}] = factor;
    const auto x = particles[position];
    std::vector<Sums> all(particles.size());
    for (std::uint64_t i = 0; i < all.size(); ++i) {
        Sums& sums = all[i];
        const double reach_i = particles[reach][i];
        for (std::uint64_t j = 0; j < all.size(); ++j) {
            const double within = std::is_same_v<How, Cutoff> ? cutoff : std::max(reach_i, particles[reach][j]);
            const Vec3<double> d = nearest_image(particles, x[j] - x[i]);
            const auto listed = factors.find({i, j});
            const double factor = listed == factors.end() ? 1 : listed->second;
            if (i == j || factor == 0 || !(dot(d, d) < within * within)) continue;
            const double pull = particles[mass][j] * (1.5 - std::sqrt(dot(d, d))) * reach_i;
            sums.fastest = sums.partners == 0 ? pull - 5 : std::max(sums.fastest, pull - 5);
            sums.slowest = sums.partners == 0 ? pull : std::min(sums.slowest, pull);
            sums.pull += factor * pull * d;
            sums.partners += factor;
        }
        sums.pull += 0.25 * x[i];
    }
    return all;
}

constexpr double cutoff = 0.09;

// device: where pairs are computed, "host" for the threads.
template <class How>
MakeForces probe_without(const std::vector<ExcludedPair>& pairs, const ShortRangeSettings& settings,
                         const std::string& device) {
    return [=] {
        ShortRangeSettings with = settings;
        with.exclude = pairs;
        with.device = OpenDevices().of({device});
        return std::vector<std::shared_ptr<Force>>{short_range_force(Probe<How>{cutoff}, with)};
    };
}

// particles: rows are ids.
void expect(const ParticleSet& particles, const std::vector<Sums>& right, double digits) {
    for (std::size_t row = 0; row < right.size(); ++row) {
        const Vec3<double> off = particles[acceleration][row] - right[row].pull;
        EXPECT_LT(std::sqrt(dot(off, off)), digits) << row;
        EXPECT_NEAR(particles[partners][row], right[row].partners, 1e-9) << row;
        EXPECT_NEAR(particles[fastest][row], right[row].fastest, 10 * digits) << row;
        EXPECT_NEAR(particles[slowest][row], right[row].slowest, 10 * digits) << row;
    }
}

class ShortRangeExclusions : public testing::TestWithParam<std::tuple<int, const char*>> {
  protected:
    const int ranks_ = std::get<0>(GetParam());
    const std::string device_ = std::get<1>(GetParam());
};
INSTANTIATE_TEST_SUITE_P(Of, ShortRangeExclusions,
                         testing::Combine(testing::Values(1, 2, 3, 5), testing::Values("host", "cpu")));

TEST_P(ShortRangeExclusions, are_left_out_or_scaled_on_any_ranks_in_open_and_periodic_space) {
    for (const Region& region : {Region{}, slab(), cube}) {
        const auto start = scattered(700, region, 0.3);
        const auto pairs = near_pairs(*start, 0.05);
        EXPECT_GT(pairs.size(), 400U);
        for (const Precision precision : {Precision::double_, Precision::single_}) {
            const double digits = precision == Precision::double_ ? 1e-12 : 1e-5;
            const ShortRangeSettings settings{.precision = precision};
            expect(*run_on_ranks(ranks_, *start, probe_without<Cutoff>(pairs, settings, device_), 0),
                   direct<Cutoff>(*start, cutoff, pairs), digits);
            expect(*run_on_ranks(ranks_, *start, probe_without<Symmetric<Reach>>(pairs, settings, device_), 0),
                   direct<Symmetric<Reach>>(*start, cutoff, pairs), digits);
        }
    }
}

TEST_P(ShortRangeExclusions, compare_with_the_reference_over_all_ranks) {
    const auto start = scattered(300, cube, 0.3);
    const auto force = probe_without<Cutoff>(near_pairs(*start, 0.05), {.precision = Precision::double_}, device_);
    run_on_ranks(ranks_, *start, force, 0, [](Simulation& sim) { EXPECT_LT(sim.force_error(60, 1).maximum, 1e-12); });
}

// Rows are sorted and change ranks, lists are kept and rebuilt.
TEST_P(ShortRangeExclusions, belong_to_the_same_particles_while_these_move) {
    const auto start = scattered(300, cube, 0.3);
    models::Random random(4);
    for (auto& v : (*start)[velocity]) v = 0.4 * random.direction();
    const auto pairs = near_pairs(*start, 0.05);
    const ShortRangeSettings kept{.reuse_steps = 4, .skin_ratio = 0.3, .precision = Precision::double_};
    std::uint64_t reuses = 0;
    const auto force = probe_without<Cutoff>(pairs, kept, device_);
    const auto end = run_on_ranks(ranks_, *start, force, 30, [&](Simulation& sim) {
        if (sim.comm().rank() == 0) reuses = sim.forces()[0]->list_use().reuses;
    });
    EXPECT_GT(reuses, 5U);
    expect(*end, direct<Cutoff>(*end, cutoff, pairs), 1e-11);
}

TEST_P(ShortRangeExclusions, go_on_from_a_checkpoint_bit_for_bit) {
    const auto start = scattered(300, cube, 0.3);
    models::Random random(4);
    for (auto& v : (*start)[velocity]) v = 0.4 * random.direction();
    const auto forces = probe_without<Cutoff>(near_pairs(*start, 0.05), {.reuse_steps = 8, .skin_ratio = 1}, device_);
    run_ranks(ranks_, [&](Comm& comm) {
        const auto whole = simulation_on(comm, all_on_first(comm, *start), forces);
        whole->ensure_forces();
        while (whole->step_count() < 5) whole->step();
        const auto resumed = simulation_on(comm, copy_of(whole->particles()), forces);
        resumed->resume(whole->time(), whole->step_count(), whole->domain_state());
        while (whole->step_count() < 20) whole->step();
        while (resumed->step_count() < 20) resumed->step();
        expect_same_bits(resumed->particles(), whole->particles());
    });
}

TEST(ShortRangeExclusions, have_the_same_bits_for_any_number_of_threads_and_devices) {
    const auto start = scattered(900, cube, 0.3);
    const auto on = [&](int threads, const char* device) {
        const auto force = probe_without<Cutoff>(near_pairs(*start, 0.05), {}, device);
        return with_threads(threads, [&] { return run_on_ranks(1, *start, force, 3); });
    };
    expect_same_bits(*on(3, "host"), *on(1, "host"));
    expect_same_bits(*on(3, "cpu"), *on(1, "cpu"));
    expect_same_bits(*on(2, "cpu*3"), *on(1, "cpu"));
}

// Pairs beyond the extent of any list are never masked: the kernel runs as without excluded pairs.
TEST(ShortRangeExclusions, beyond_the_lists_change_no_bit_on_a_device) {
    const auto start = scattered(900, cube, 0.3);
    std::vector<ExcludedPair> far;
    for (std::uint64_t i = 0; i < 90; ++i)
        if (std::abs(nearest_image(*start, (*start)[position][i] - (*start)[position][800 + i]).x) > 0.45)
            far.push_back({i, 800 + i});
    EXPECT_GT(far.size(), 3U);
    const auto on_cpu = [&](const std::vector<ExcludedPair>& pairs) {
        return run_on_ranks(1, *start, probe_without<Cutoff>(pairs, {}, "cpu"), 3);
    };
    expect_same_bits(*on_cpu(far), *on_cpu({}));
}

// Bonded particles may be in the same place, where the interaction is not finite.
struct Inverse {
    using Target = Fields<Position>;
    using Source = Fields<Position>;
    using Result = Fields<Acceleration, Potential>;
    using Search = Cutoff;
    double cutoff;
    void operator()(const auto& i, const auto& j, auto& sum) const {
        const auto d = j[position] - i[position];
        const auto inverse = 1.0f / dot(d, d);
        sum[acceleration] += inverse * d;
        sum[potential] += inverse;
    }
};

TEST(ShortRangeExclusions, leave_no_trace_of_an_infinite_pair) {
    for (const char* device : {"host", "cpu"}) {
        ParticleSet particles(3);
        particles[position][2] = {0.5, 0, 0};
        const auto force = short_range_force(Inverse{1}, {.device = OpenDevices().of({device}), .exclude = {{0, 1}}});
        force->attach(particles, 0);
        Phases phases;
        force->dispatch(particles, {}, phases);
        force->retrieve(particles, phases);
        EXPECT_EQ(particles[potential][0], 4) << device;
        EXPECT_EQ(particles[potential][1], 4);
        EXPECT_EQ(particles[potential][2], 8);
        EXPECT_EQ(particles[acceleration][1].x, 2);
    }
}

TEST(ShortRangeExclusions, need_particles_that_are_there) {
    const auto particles = scattered(50, {}, 0.3);
    Simulation simulation(particles, 0.1);
    simulation.add_force(short_range_force(Probe<Cutoff>{cutoff}, {.exclude = {{3, 50}}}));
    EXPECT_EQ(
        message_of([&] { simulation.compute_forces(); }),
        "exclude has the pair 50 and 3, but no particle has the id 50: allowed are ids of particles that are there");
}

}  // namespace trellis::short_range_exclusions_test
