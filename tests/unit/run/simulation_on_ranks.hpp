// Simulations on ranks that are threads of this process.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>

#include "trellis/ranks/comm/thread_ranks.hpp"
#include "trellis/run/simulation.hpp"
#include "unit/run/moving_particles.hpp"

namespace trellis {

using namespace fields;

using MakeForces = std::function<std::vector<std::shared_ptr<Force>>()>;

inline std::unique_ptr<Simulation> simulation_on(Comm& comm, std::shared_ptr<ParticleSet> own,
                                                 const MakeForces& forces) {
    auto sim = std::make_unique<Simulation>(std::move(own), 0.01, std::shared_ptr<Comm>(&comm, [](Comm*) {}));
    for (auto& force : forces()) sim->add_force(std::move(force));
    return sim;
}

// All particles on the first rank, as a run may begin.
inline std::shared_ptr<ParticleSet> all_on_first(Comm& comm, const ParticleSet& all) {
    if (comm.rank() == 0) return copy_of(all);
    auto none = std::make_shared<ParticleSet>(0);
    none->set_region(all.region());
    for (const auto& column : all.columns())
        if (!none->has(column->info().name)) none->add(column->info());
    return none;
}

// Copies each local row to the row of all that its id says. Ranks may do so side by side.
inline void put_by_id(const ParticleSet& own, ParticleSet& all) {
    for (const auto& column : own.columns()) {
        const std::size_t width = column->info().components;
        double* values = all.column(column->info().name).values();
        for (std::size_t k = 0; k < own.size(); ++k)
            std::copy_n(column->values() + k * width, width, values + own[id][k] * width);
    }
}

// The particles after the given number of steps; look is called with each rank's simulation at the end.
inline std::shared_ptr<ParticleSet> run_on_ranks(
    int ranks, const ParticleSet& start, const MakeForces& forces, std::uint64_t steps,
    const std::function<void(Simulation&)>& look = [](Simulation&) {}) {
    const auto end = copy_of(start);
    for (std::size_t number = 0; const auto& force : forces()) force->attach(*end, number++);
    run_ranks(ranks, [&](Comm& comm) {
        const auto sim = simulation_on(comm, all_on_first(comm, start), forces);
        sim->ensure_forces();
        while (sim->step_count() < steps) sim->step();
        look(*sim);
        put_by_id(sim->particles(), *end);
    });
    return end;
}

}  // namespace trellis
