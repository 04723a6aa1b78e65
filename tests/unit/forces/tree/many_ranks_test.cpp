#include <gtest/gtest.h>

#include <functional>

#include "trellis/ranks/comm/collective.hpp"
#include "trellis/ranks/comm/thread_ranks.hpp"
#include "trellis/trellis.hpp"
#include "unit/forces/tree/shared_particles.hpp"
#include "unit/particle_models.hpp"

namespace trellis::many_ranks_test {

// Runs check(simulation, number of particles) on 64 ranks. Many domains are long and thin, and the core is imported as
// one or more small cells from each rank.
template <class Check>
void on_many_ranks(Check&& check) {
    const ParticleSet all = models::plummer(16000, 1);
    run_ranks(64, [&](Comm& comm) {
        const Multisection cuts = cut_of(all, comm.size());
        const auto own = std::make_shared<ParticleSet>(share_of(all, cuts, comm.rank()));
        Simulation sim(own, 1e-6, {&comm, [](Comm*) {}});
        sim.add_force(gravity(1e-3, 1, {.accuracy = 1e-3}));
        check(sim, all.size());
    });
}

TEST(ManyRanks, keep_forces_well_within_the_accuracy_asked_for) {
    on_many_ranks([](Simulation& sim, std::size_t) { EXPECT_LT(sim.force_error(4000, 7).rms, 5.5e-4); });
}

// A superparticle takes as long as dozens of pairs. There were 370 for each particle when leaves of few particles were
// closed and groups were as large as anywhere.
TEST(ManyRanks, have_few_superparticles_with_moments) {
    on_many_ranks([](Simulation& sim, std::size_t particles) {
        sim.compute_forces();
        const std::uint64_t all = all_reduce(sim.comm(), sim.work().multipoles, std::plus<>());
        EXPECT_LT(static_cast<double>(all), 100.0 * static_cast<double>(particles));
    });
}

}  // namespace trellis::many_ranks_test
