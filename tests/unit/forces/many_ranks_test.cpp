#include <gtest/gtest.h>

#include "trellis/ranks/thread_ranks.hpp"
#include "trellis/trellis.hpp"
#include "unit/forces/shared_particles.hpp"
#include "unit/particle_models.hpp"

namespace trellis {
namespace {

// Many of the domains are long and thin, and the core comes as one small cell of each rank or more.
TEST(ManyRanks, keep_forces_well_within_the_accuracy_asked_for) {
    const ParticleSet all = models::plummer(16000, 1);
    run_ranks(64, [&](Comm& comm) {
        const Multisection cuts = cut_of(all, comm.size());
        const auto own = std::make_shared<ParticleSet>(share_of(all, cuts, comm.rank()));
        Simulation sim(own, 1e-6, {&comm, [](Comm*) {}});
        sim.add_force(gravity(1e-3, 1, {.accuracy = 1e-3}));
        EXPECT_LT(sim.force_error(4000, 7).rms, 5e-4);
    });
}

}  // namespace
}  // namespace trellis
