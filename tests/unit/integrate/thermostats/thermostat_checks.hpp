// Requirements on every thermostat.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "trellis/integrate/thermostats/thermostat.hpp"
#include "trellis/ranks/comm/collective.hpp"
#include "trellis/ranks/comm/thread_ranks.hpp"
#include "trellis/run/measures/diagnostics.hpp"
#include "unit/error_message.hpp"
#include "unit/particle_models.hpp"
#include "unit/with_threads.hpp"

namespace trellis {

using namespace fields;

// A gas of mixed masses, ids that are no row numbers, and velocities far from equilibrium.
inline ParticleSet mixed_gas(std::size_t size) {
    ParticleSet particles = models::uniform_cube(size, 1);
    models::Random random(2);
    for (std::size_t row = 0; row < size; ++row) {
        particles[id][row] = random.bits();
        particles[mass][row] = random.uniform(0.5, 3);
        particles[velocity][row] = 2.0 * random.direction();
    }
    return particles;
}

// The bath has the energy that particles have lost, and it is much.
template <class Bath>
void check_what_particles_lose_the_bath_has(Bath bath) {
    ParticleSet particles = mixed_gas(3000);
    const double before = kinetic_energy(particles);
    for (std::uint64_t call = 0; call < 10; ++call) bath.act(particles, 0.1, call, *serial_comm());
    EXPECT_GT(std::abs(bath.bath_energy()), 0.1 * before);
    EXPECT_NEAR(kinetic_energy(particles) + bath.bath_energy(), before, 1e-12 * before);
}

// Bath: made of a temperature, a relaxation time and a seed.
template <class Bath>
void check_what_is_allowed() {
    EXPECT_EQ(message_of([] { Bath(-1, 1, 1); }), "the temperature of a thermostat is -1: allowed is 0 or more");
    EXPECT_EQ(message_of([] { Bath(1, 0, 1); }), "the relaxation time of a thermostat is 0: allowed is above 0");
}

struct Outcome {
    std::vector<Vec3<double>> velocities;  // row by row
    double bath_energy;
    bool operator==(const Outcome&) const = default;
};

// Three calls on particles that are dealt out to the ranks in turn.
template <class Make>
Outcome acted_on_ranks(std::size_t count, Make make, int ranks) {
    Outcome outcome{std::vector<Vec3<double>>(count), 0};
    run_ranks(ranks, [&](Comm& comm) {
        const auto rank = static_cast<std::size_t>(comm.rank()), size = static_cast<std::size_t>(comm.size());
        std::vector<std::uint32_t> rows;
        for (std::size_t row = rank; row < count; row += size) rows.push_back(static_cast<std::uint32_t>(row));
        ParticleSet own = mixed_gas(count);
        own.replace_rows(rows, 0);
        auto thermostat = make();
        for (std::uint64_t call = 0; call < 3; ++call) thermostat.act(own, 0.01, call, comm);
        for (std::size_t k = 0; k < rows.size(); ++k) outcome.velocities[rows[k]] = own[velocity][k];
        const double energy = thermostat.bath_energy();
        EXPECT_EQ(all_gather(comm, energy), std::vector<double>(size, energy));
        if (rank == 0) outcome.bath_energy = energy;
    });
    return outcome;
}

template <class Make>
void check_same_bits_for_any_ranks_and_threads(Make make) {
    constexpr std::size_t count = 5000;
    const Outcome alone = acted_on_ranks(count, make, 1);
    for (const int ranks : {2, 3, 4}) EXPECT_TRUE(acted_on_ranks(count, make, ranks) == alone) << ranks << " ranks";
    for (const int threads : {1, 2, 3}) {
        ParticleSet particles = mixed_gas(count);
        auto thermostat = make();
        with_threads(threads, [&] {
            for (std::uint64_t call = 0; call < 3; ++call) thermostat.act(particles, 0.01, call, *serial_comm());
        });
        EXPECT_TRUE(std::ranges::equal(particles[velocity], alone.velocities)) << threads << " threads";
        EXPECT_EQ(thermostat.bath_energy(), alone.bath_energy);
    }
}

template <class Make>
void check_goes_on_from_its_state(Make make) {
    ParticleSet particles = mixed_gas(100);
    auto first = make();
    for (std::uint64_t call = 0; call < 4; ++call) first.act(particles, 0.01, call, *serial_comm());
    ParticleSet others = mixed_gas(100);
    std::ranges::copy(particles[velocity], others[velocity].begin());
    auto second = make();
    second.restore(first.state());
    for (std::uint64_t call = 4; call < 8; ++call) {
        first.act(particles, 0.01, call, *serial_comm());
        second.act(others, 0.01, call, *serial_comm());
    }
    EXPECT_TRUE(std::ranges::equal(others[velocity], particles[velocity]));
    EXPECT_EQ(second.bath_energy(), first.bath_energy());
    EXPECT_EQ(second.state(), first.state());
}

}  // namespace trellis
