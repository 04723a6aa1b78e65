// Simulations on several sites: nothing above Comm knows, but for the cuts of space.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "trellis/forces/gravity/gravity_force.hpp"
#include "trellis/ranks/domain/domain_tree.hpp"
#include "trellis/ranks/domain/shape.hpp"
#include "unit/forces/tree/rank_checks.hpp"
#include "unit/ranks/comm/watched_comm.hpp"
#include "unit/ranks/domain/exchange_checks.hpp"
#include "unit/ranks/sites/site_ranks.hpp"
#include "unit/run/plain_force.hpp"
#include "unit/run/simulation_on_ranks.hpp"

namespace trellis::several_sites_test {

std::vector<std::shared_ptr<Force>> reused_gravity() {
    return {gravity(0.05, 1, {.accuracy = 1e-3, .lists = Lists::reuse})};
}

// The particles after some steps on sites. aware: cuts are those between sites first.
std::shared_ptr<ParticleSet> run_on_sites(
    const std::vector<int>& ranks, const ParticleSet& start, bool aware,
    const std::function<void(Simulation&)>& look = [](Simulation&) {}) {
    const auto end = copy_of(start);
    for (std::size_t number = 0; const auto& force : reused_gravity()) force->attach(*end, number++);
    checks::run_sites(ranks, [&](SiteComm& comm) {
        checks::WatchedComm unaware(comm, [](std::vector<Message>&) {});
        Comm& used = aware ? static_cast<Comm&>(comm) : unaware;
        const auto sim = simulation_on(used, all_on_first(used, start), reused_gravity);
        sim->ensure_forces();
        while (sim->step_count() < 12) sim->step();
        look(*sim);
        put_by_id(sim->particles(), *end);
    });
    return end;
}

TEST(SeveralSites, give_the_bits_of_as_many_ranks_on_one) {
    const ParticleSet start = models::plummer(2000, 1);
    const auto one = run_on_ranks(4, start, reused_gravity, 12), two = run_on_sites({2, 2}, start, false);
    for (const auto& column : one->columns()) {
        const std::size_t values = one->size() * column->info().components;
        const double* others = two->column(column->info().name).values();
        EXPECT_TRUE(std::equal(column->values(), column->values() + values, others)) << column->info().name;
    }
}

// Twice on the same sites the same bits, however their ranks and links happened to be late; and the particles are where
// one rank has them.
TEST(SeveralSites, have_slabs_of_their_own) {
    const ParticleSet start = models::plummer(2000, 1);
    const auto look = [](Simulation& sim) {
        const Shape shape = Multisection(sim.domain_state().cuts).shape();
        EXPECT_TRUE(slabs_begin_at(shape, sim.comm().site_begins()));
    };
    const auto one = run_on_sites({2, 3, 1}, start, true, look), again = run_on_sites({2, 3, 1}, start, true);
    const auto alone = run_on_ranks(1, start, reused_gravity, 12);
    for (std::size_t row = 0; row < start.size(); ++row) {
        EXPECT_EQ((*one)[position][row], (*again)[position][row]);
        const Vec3<double> apart = (*one)[position][row] - (*alone)[position][row];
        EXPECT_LT(dot(apart, apart), 1e-8);
    }
}

TEST(SeveralSites, have_forces_within_the_error_of_the_criterion) {
    for (const RankCase& of : {rank_cases()[0], rank_cases()[1]})
        checks::run_sites({2, 2, 2, 2}, [&](SiteComm& comm) {
            for (const LetScheme scheme : {LetScheme::all_to_all, LetScheme::all_gather, LetScheme::domain_tree})
                check_forces_are_those_of_direct_summation(comm, of, scheme, models::all_models[2]);
        });
}

// Cells that several ranks of a site import from another site travel once, not once for each of them. The particles,
// the ranks and the cuts, which are between sites first, are the same in both runs.
TEST(SeveralSites, share_essential_trees) {
    const ParticleSet start = models::plummer(4000, 1);
    const auto bytes_of = [&](bool aware) {
        std::atomic<std::uint64_t> bytes = 0;
        checks::run_sites({4, 4}, [&](SiteComm& comm) {
            const auto sim = simulation_on(comm, all_on_first(comm, start), reused_gravity);
            sim->ensure_forces();
            checks::WatchedComm unaware(comm, [](std::vector<Message>&) {});
            Comm& used = aware ? static_cast<Comm&>(comm) : unaware;
            const Ranks ranks{{&used, [](Comm*) {}}, domain_tree(Multisection(sim->domain_state().cuts).shape())};
            const auto force = gravity(0.05, 1, {.accuracy = 1e-3, .let = LetScheme::all_gather});
            Phases phases;
            const std::uint64_t before = comm.wide_traffic().all().bytes;
            force->dispatch(sim->particles(), {.ranks = &ranks}, phases);
            force->retrieve(sim->particles(), phases);
            bytes += comm.wide_traffic().all().bytes - before;
        });
        return static_cast<double>(bytes);
    };
    EXPECT_LT(bytes_of(true), 0.5 * bytes_of(false));
}

// A site with a lower speed gets less work: speeds are 1 and 3 instead of 1 and 1.
TEST(SeveralSites, share_the_work_by_their_speeds) {
    const ParticleSet start = models::plummer(4000, 1);
    std::array<double, 2> costs{};
    checks::run_sites({1, 1},
                      [&](SiteComm& comm) {
                          const auto sim = simulation_on(comm, all_on_first(comm, start), reused_gravity);
                          sim->ensure_forces();
                          while (sim->step_count() < 40) sim->step();
                          costs[static_cast<std::size_t>(comm.rank())] = sim->work().cost;
                      },
                      {1, 3});
    EXPECT_NEAR(costs[1] / costs[0], 3, 0.75);
}

// Forces are begun with the precision of the last time while the scale of all particles is under way; if that has
// become too large for single precision, they are begun again: they are those of a simulation that has known no other
// scale.
TEST(SeveralSites, begin_again_where_the_precision_changes) {
    const ParticleSet start = models::plummer(500, 1);
    checks::run_sites({2, 1}, [&](SiteComm& comm) {
        const auto sim = simulation_on(comm, all_on_first(comm, start), reused_gravity);
        sim->ensure_forces();
        for (Vec3<double>& at : sim->particles()[position]) at = 1e25 * at;
        sim->compute_forces();
        EXPECT_LT(sim->force_error(200, 1).rms, 1e-2);
    });
}

// Successive trips between sites in construction steps: two a step, one for roots, with which the scale of the
// particles and the outcome of the previous forces travel, and one for essential trees; and one more in every eighth
// step, which distributes particles.
TEST(SeveralSites, take_few_trips_a_step) {
    const ParticleSet start = models::plummer(2000, 1);
    const auto rebuilding = [] {
        return std::vector<std::shared_ptr<Force>>{gravity(0.05, 1, {.accuracy = 1e-3, .lists = Lists::rebuild})};
    };
    for (const std::vector<int>& ranks : {std::vector{1, 1}, std::vector{2, 2}, std::vector{1, 2, 1}})
        checks::run_sites(ranks, [&](SiteComm& comm) {
            const auto sim = simulation_on(comm, all_on_first(comm, start), rebuilding);
            sim->ensure_forces();
            while (sim->step_count() < 16) sim->step();
            const std::uint64_t before = comm.wide_traffic().critical_path_hops;
            while (sim->step_count() < 32) sim->step();
            EXPECT_LE(comm.wide_traffic().critical_path_hops - before, 16 * 2 + 2);
        });
}

// In expanding space all ranks receive the work one step later, or at once if it is requested.
TEST(SeveralSites, take_no_more_trips_for_the_work_of_expansion) {
    const ParticleSet start = models::plummer(1000, 1);
    const auto work_on = [&](const std::vector<int>& ranks) {
        std::atomic<double> work = 0;
        checks::run_sites(ranks, [&](SiteComm& comm) {
            Simulation sim(all_on_first(comm, start), std::nullopt, {&comm, [](Comm*) {}});
            sim.set_expansion(Expansion({.omega_m = 1, .H0 = 1}, 0.01));
            sim.set_time(0.3);
            sim.add_force(gravity(0.05, 1, {.accuracy = 1e-3, .lists = Lists::rebuild}));
            sim.run_steps(16);
            const std::uint64_t before = comm.wide_traffic().critical_path_hops;
            sim.run_steps(7);
            EXPECT_LE(comm.wide_traffic().critical_path_hops - before, 7U * 2U);
            const double all_of_it = sim.expansion_work();
            EXPECT_EQ(sim.expansion_work(), all_of_it);
            if (comm.rank() == 0) work = all_of_it;
        });
        return work.load();
    };
    const double one = work_on({1});
    EXPECT_GT(one, 0);
    EXPECT_NEAR(work_on({1, 2}) / one, 1, 1e-3);  // of 23 steps none is left out
}

// A lost particle is noticed one trip later, without a trip of its own: the ids that ranks have travel with the next
// messages.
TEST(SeveralSites, notice_what_an_exchange_has_lost) {
    checks::run_sites({1, 2}, [](SiteComm& comm) {
        const auto some = [&](std::uint64_t count) { return Identities{count, comm.rank() == 0 ? count : 0, 0}; };
        ArrivalCheck check;
        check.begin(comm, {9, 3, 0}, some(3));
        check.begin(comm, {9, 3, 0}, some(3));  // after a trip of its own for the first
        const std::uint64_t before = comm.wide_traffic().critical_path_hops;
        comm.all_gather({});
        check.finish();
        check.begin(comm, {9, 3, 0}, some(comm.rank() == 2 ? 2 : 3));
        comm.all_gather({});
        const std::string said = checks::sentence_of([&] { check.finish(); });
        EXPECT_EQ(said.find("the exchange lost 1 of 9 particles"), 0U) << said;
        EXPECT_EQ(comm.wide_traffic().critical_path_hops - before, 2U);
    });
}

// Work of the ranks until the trees of other sites have arrived.
class Patience final : public PlainForce {
  public:
    explicit Patience(std::shared_ptr<ForceByTree> tree) : tree_(std::move(tree)) {}
    Work retrieve(ParticleSet&, Phases&) override {
        const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
        while (!tree_->progress() && std::chrono::steady_clock::now() < end)
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        return {};
    }

  private:
    std::shared_ptr<ForceByTree> tree_;
};

// Links take 20 ms a message: a construction step that distributes no particles waits for none of them, if there is
// enough other work.
TEST(SeveralSites, wait_for_nothing_that_work_can_hide) {
    const ParticleSet start = models::plummer(1000, 1);
    const auto forces = [] {
        const std::shared_ptr<ForceByTree> tree = gravity(0.05, 1, {.accuracy = 1e-3, .lists = Lists::rebuild});
        return std::vector<std::shared_ptr<Force>>{std::make_shared<Patience>(tree), tree};
    };
    const auto run = [&](SiteComm& comm) {
        const auto sim = simulation_on(comm, all_on_first(comm, start), forces);
        sim->ensure_forces();
        while (sim->step_count() < 16) sim->step();
        const WideTraffic before = comm.wide_traffic();
        while (sim->step_count() < 23) sim->step();
        EXPECT_EQ(comm.wide_traffic().visible - before.visible, 0U);
        EXPECT_LE(comm.wide_traffic().critical_path_hops - before.critical_path_hops, 7U * 2U);
    };
    checks::run_sites({1, 2, 1}, run, {}, checks::all_memory, std::chrono::milliseconds(20));
}

}  // namespace trellis::several_sites_test
