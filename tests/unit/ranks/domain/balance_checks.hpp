// Requirements on Balance, as functions that all ranks call: threads in tests/unit/ranks, processes in tests/mpi.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "trellis/ranks/comm/collective.hpp"
#include "trellis/ranks/domain/balance.hpp"
#include "unit/particle_models.hpp"

namespace trellis {

using namespace fields;

// The particles among all that a rank owns.
inline ParticleSet part_of(const ParticleSet& all, const Multisection& cuts, int rank) {
    std::vector<Vec3<double>> own;
    for (const Vec3<double>& at : all[position])
        if (cuts.owner(at) == rank) own.push_back(at);
    return models::particles_at(own.size(), 1, [&](std::size_t row) { return own[row]; });
}

// The cost of a rank's particles: proportional to the density around them in Plummer's sphere, on top of a base.
inline double model_cost(const ParticleSet& particles) {
    double cost = 0;
    for (const Vec3<double>& at : particles[position]) cost += 0.1 + std::pow(1 + dot(at, at), -2.5);
    return cost;
}

// The largest cost over the mean.
inline double imbalance(Comm& comm, double cost) {
    const auto costs = all_gather(comm, cost);
    double sum = 0;
    for (const double each : costs) sum += each;
    return std::ranges::max(costs) / (sum / comm.size());
}

inline void check_balance_converges(Comm& comm) {
    const ParticleSet all = models::plummer(1500 * static_cast<std::size_t>(comm.size()), 3);
    Balance balance;
    // All particles begin on rank 0, with a cost that is no measurement.
    ParticleSet own = comm.rank() == 0 ? models::plummer(all.size(), 3) : ParticleSet(0);
    double cost = comm.rank() == 0 ? 1e9 : 0;
    for (int step = 0; step < 10; ++step) {
        own = part_of(all, balance.decide(comm, own, cost), comm.rank());
        cost = model_cost(own);
        if (step == 0) {
            EXPECT_LT(imbalance(comm, static_cast<double>(own.size())), 1.1);
        }
    }
    EXPECT_LT(imbalance(comm, cost), 1.05) << comm.size() << " ranks";
}

inline void check_all_ranks_decide_the_same(Comm& comm) {
    for (const auto& model : models::all_models)
        for (const std::size_t size : {0, 1, 2, 500}) {
            const auto lonely =
                static_cast<int>(size) % comm.size();  // the one rank that has particles, unless they are spread out
            for (const bool spread_out : {false, true}) {
                const bool has = spread_out ? comm.rank() % 3 == 0 : comm.rank() == lonely;
                ParticleSet own = model.make(has ? size : 0, static_cast<std::uint64_t>(comm.rank()));
                own.set_region({{-1, -1, -1}, {1, 1, 1}});
                Balance balance;
                for (const double cost : {0.0, 1.0 + comm.rank(), std::nan(""), 3.0}) {
                    const Multisection& cuts = balance.decide(comm, own, cost);
                    EXPECT_EQ(cuts.shape().ranks, comm.size());
                    EXPECT_EQ(cuts.region(), own.region());
                    const auto values = cuts.values();
                    const auto first = std::as_bytes(std::span(values));
                    const auto of_first = broadcast(comm, {first.begin(), first.end()});
                    EXPECT_TRUE(std::ranges::equal(first, of_first)) << model.name;
                }
            }
        }
}

inline void check_balance_resumes(Comm& comm) {
    const ParticleSet all = models::plummer(300 * static_cast<std::size_t>(comm.size()), 3);
    const auto run = [&](int stop_at) {
        auto balance = std::make_unique<Balance>();
        ParticleSet own = comm.rank() == 0 ? models::plummer(all.size(), 3) : ParticleSet(0);
        for (int step = 0; step < 5; ++step) {
            own = part_of(all, balance->decide(comm, own, model_cost(own)), comm.rank());
            if (step != stop_at) continue;
            const auto state = balance->state();
            balance = std::make_unique<Balance>();
            balance->restore(state);
        }
        return balance->state();
    };
    const auto whole = run(-1);
    for (const int stop_at : {0, 1, 3}) EXPECT_EQ(run(stop_at), whole);
}

}  // namespace trellis
