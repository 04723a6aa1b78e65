// Forces within a cutoff or a search radius with a kernel in C, against sums over all pairs.
#include <gtest/gtest.h>

#include "c/handles.hpp"
#include "c/kernels.h"
#include "trellis/forces/molecules/lennard_jones_force.hpp"
#include "trellis/run/simulation.hpp"

namespace trellis::c_tests {

using namespace fields;

namespace {

// The squared distance in a periodic cube of side 1.
double squared_distance(const double* a, const double* b) {
    double r2 = 0;
    for (int axis = 0; axis < 3; ++axis) {
        const double d = a[axis] - b[axis];
        r2 += std::pow(d - std::round(d), 2);
    }
    return r2;
}

Handle<trellis_particles> in_a_periodic_cube(std::size_t size, std::uint64_t seed) {
    auto particles = particles_of(models::uniform_cube(size, seed));
    const double low[] = {0, 0, 0}, high[] = {1, 1, 1};
    EXPECT_EQ(trellis_set_box(particles.get(), low, high), 0) << trellis_error();
    return particles;
}

// A simulation of the particles with the force, which have been computed.
Handle<trellis_simulation> with_forces(const Handle<trellis_particles>& particles, const Handle<trellis_force>& force) {
    auto simulation =
        made<trellis_simulation>([&](auto* to) { return trellis_simulation_new(particles.get(), 0.01, to); });
    EXPECT_EQ(trellis_add_force(simulation.get(), force.get()), 0) << trellis_error();
    EXPECT_EQ(trellis_compute_forces(simulation.get()), 0) << trellis_error();
    return simulation;
}

}  // namespace

TEST(ShortRangeForceInC, CountsEachImageWithinTheCutoff) {
    for (const std::size_t size : {1, 2, 5, 17, 700}) {
        double cutoff = 0.21;
        const auto particles = in_a_periodic_cube(size, 3);
        column(particles, "count", 1);
        const auto force = made<trellis_force>([&](auto* to) {
            return trellis_cutoff_force_d(particles.get(), "position", "position", "count", count_kernel, &cutoff,
                                          cutoff, to);
        });
        with_forces(particles, force);
        const auto counts = by_id(particles, "count", 1), x = by_id(particles, "position", 3);
        for (std::size_t i = 0; i < size; ++i) {
            double count = 0;
            for (std::size_t j = 0; j < size; ++j)
                if (j != i && squared_distance(&x[3 * i], &x[3 * j]) < cutoff * cutoff) ++count;
            EXPECT_EQ(counts[i], count) << i << " of " << size;
        }
    }
}

TEST(ShortRangeForceInC, SearchesTheRadiusOfEachParticleAsItsModeSays) {
    constexpr std::size_t size = 600;
    for (const int search : {TRELLIS_GATHER, TRELLIS_SCATTER, TRELLIS_SYMMETRIC}) {
        const auto particles = in_a_periodic_cube(size, 4);
        models::Random random(5);
        double* lengths = column(particles, "length", 1);
        for (std::size_t k = 0; k < size; ++k) lengths[k] = random.uniform(0.05, 0.25);
        column(particles, "weight", 1);
        trellis_kernel* const kernels[] = {gather_kernel, scatter_kernel, symmetric_kernel};
        const char* i = search == TRELLIS_SCATTER ? "position" : "position length";
        const char* j = search == TRELLIS_GATHER ? "position mass" : "position mass length";
        const auto force = made<trellis_force>([&](auto* to) {
            return trellis_search_force(particles.get(), i, j, "weight", kernels[search], nullptr, "length", search,
                                        to);
        });
        with_forces(particles, force);
        const auto x = by_id(particles, "position", 3), m = by_id(particles, "mass", 1);
        const auto h = by_id(particles, "length", 1);
        std::vector<double> all(size);
        for (std::size_t a = 0; a < size; ++a)
            for (std::size_t b = 0; b < size; ++b) {
                const double r = std::sqrt(squared_distance(&x[3 * a], &x[3 * b]));
                const double reach = search == TRELLIS_GATHER    ? h[a]
                                     : search == TRELLIS_SCATTER ? h[b]
                                                                 : std::max(h[a], h[b]);
                if (a != b && r < reach) all[a] += m[b] * std::pow(1 - r / reach, 2);
            }
        EXPECT_LT(difference(by_id(particles, "weight", 1), all), 1e-6) << search;
    }
}

TEST(ShortRangeForceInC, KeepsTheLargestAndSmallestValuesOfPairs) {
    constexpr std::size_t size = 300;
    for (const double cutoff : {0.06, 0.2}) {
        double within = cutoff;
        const auto particles = in_a_periodic_cube(size, 8);
        for (const char* name : {"count", "largest", "nearest"}) column(particles, name, 1);
        const auto force = made<trellis_force>([&](auto* to) {
            return trellis_cutoff_force_d(particles.get(), "position", "position mass", "count max:largest min:nearest",
                                          extremes_kernel, &within, cutoff, to);
        });
        const auto simulation = with_forces(particles, force);
        const auto x = by_id(particles, "position", 3), m = by_id(particles, "mass", 1);
        const auto counts = by_id(particles, "count", 1), largest = by_id(particles, "largest", 1),
                   nearest = by_id(particles, "nearest", 1);
        std::size_t lonely = 0;
        for (std::size_t i = 0; i < size; ++i) {
            double count = 0, most = 0, least = 1e9;
            for (std::size_t j = 0; j < size; ++j) {
                const double r2 = squared_distance(&x[3 * i], &x[3 * j]);
                if (j == i || r2 >= cutoff * cutoff) continue;
                ++count;
                most = count == 1 ? -m[j] : std::max(most, -m[j]);
                least = std::min(least, r2);
            }
            if (count == 0) ++lonely;
            EXPECT_EQ(counts[i], count);
            EXPECT_EQ(largest[i], most);
            EXPECT_NEAR(nearest[i], count == 0 ? 0 : std::sqrt(least), 1e-14);
        }
        EXPECT_EQ(lonely > 0, cutoff < 0.1);
    }
}

// The same steps as in C++, bit for bit.
TEST(ShortRangeForceInC, OfLennardJonesIsThatOfCpp) {
    constexpr int side = 6;
    constexpr double box = side * 1.1;
    ParticleSet set(side * side * side);
    models::Random random(6);
    for (int k = 0; k < side * side * side; ++k) {
        const auto row = static_cast<std::size_t>(k);
        set[mass][row] = 1;
        const int cell[] = {k % side, k / side % side, k / side / side};
        for (std::size_t axis = 0; axis < 3; ++axis)
            set[position][row][axis] = 1.1 * cell[axis] + random.uniform(0, 0.1);
    }
    const auto particles = particles_of(set);
    const double low[] = {0, 0, 0}, high[] = {box, box, box};
    EXPECT_EQ(trellis_set_box(particles.get(), low, high), 0) << trellis_error();
    const auto force = made<trellis_force>([](auto* to) { return trellis_lennard_jones(1, 1, 2.5, nullptr, to); });
    EXPECT_EQ(trellis_step(with_forces(particles, force).get(), 20), 0) << trellis_error();

    set.set_region({{0, 0, 0}, {box, box, box}});
    Simulation sim(std::make_shared<ParticleSet>(std::move(set)), 0.01);
    sim.add_force(lennard_jones(1, 1, 2.5));
    sim.run_steps(20);
    const auto& ids = sim.particles()[id];
    const auto ours = by_id(particles, "position", 3);
    for (std::size_t row = 0; row < ids.size(); ++row)
        for (std::size_t axis = 0; axis < 3; ++axis)
            EXPECT_EQ(ours[3 * ids[row] + axis], sim.particles()[position][row][axis]);
}

}  // namespace trellis::c_tests
