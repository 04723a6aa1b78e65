// One rank fails, and no other rank waits for it.
#include <gtest/gtest.h>

#include <limits>
#include <new>

#include "trellis/base/error.hpp"
#include "trellis/forces/gravity/gravity_force.hpp"
#include "unit/run/plain_force.hpp"
#include "unit/run/simulation_on_ranks.hpp"

namespace trellis::failing_rank_test {

using namespace fields;

constexpr double infinity = std::numeric_limits<double>::infinity();

std::vector<std::shared_ptr<Force>> by_gravity() { return {gravity(0.05, 1, {.accuracy = 1e-3})}; }

// A force that needs more memory than there is.
class HungryForce : public PlainForce {
  public:
    void dispatch(ParticleSet&, const ForceStep&, Phases& phases) override {
        const PhaseTimer timer(phases, Phase::make_interaction_list);
        throw std::bad_alloc();
    }
};

template <class Error, class Body>
std::string words_of(Body&& body) {
    try {
        body();
    } catch (const Error& error) {
        return error.what();
    }
    return "";
}

TEST(FailingRanks, say_which_of_them_ran_out_of_memory_and_in_which_phase) {
    const auto start = moving_plummer(50);
    const auto run = [&](int ranks, int hungry) {
        run_ranks(ranks, [&](Comm& comm) {
            const auto sim = simulation_on(comm, all_on_first(comm, *start), by_gravity);
            if (comm.rank() == hungry) sim->add_force(std::make_shared<HungryForce>());
            sim->step();
        });
    };
    EXPECT_EQ(words_of<RunError>([&] { run(3, 1); }), "rank 1 ran out of memory in the phase 'Make interaction list'");
    EXPECT_EQ(words_of<RunError>([&] { run(1, 0); }),
              "this machine ran out of memory in the phase 'Make interaction list'");
}

TEST(FailingRanks, say_which_particle_ran_away) {
    const auto start = moving_plummer(50);
    EXPECT_EQ(words_of<InputError>([&] {
                  run_ranks(4, [&](Comm& comm) {
                      const auto sim = simulation_on(comm, all_on_first(comm, *start), by_gravity);
                      sim->step();
                      if (comm.rank() == 2) sim->particles()[velocity][3] = {0, 0, infinity};
                      sim->step();
                  });
              }),
              "column 'position' is infinite at index 3: only finite values are allowed");
}

TEST(FailingRanks, name_an_id_that_two_of_them_have) {
    const auto start = moving_plummer(50);
    EXPECT_EQ(
        words_of<InputError>([&] {
            run_ranks(3, [&](Comm& comm) {
                const auto own = comm.rank() == 1 ? std::make_shared<ParticleSet>(0) : copy_of(*start);
                if (comm.rank() == 2)
                    for (auto& number : (*own)[id]) number += 49;
                simulation_on(comm, own, by_gravity)->step();
            });
        }),
        "id 49 is on rank 0 and on rank 2: each particle belongs to one rank and has an id of its own, but the "
        "ids of a new particle set count from 0 on every rank; make particles on rank 0 only, and none on the others "
        "(in Python: if tr.rank() == 0; in C++: world()->rank() == 0)");
}

}  // namespace trellis::failing_rank_test
