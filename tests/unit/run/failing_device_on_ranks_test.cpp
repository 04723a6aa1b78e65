// A device that fails on one of several ranks: all repeat the step, and nothing is lost.
#include <gtest/gtest.h>

#include <array>
#include <set>
#include <utility>

#include "trellis/devices/remote/open.hpp"
#include "trellis/forces/decorators/forwarding_force.hpp"
#include "trellis/forces/gravity/gravity_force.hpp"
#include "trellis/forces/gravity/gravity_kernel.hpp"
#include "trellis/forces/molecules/lennard_jones.hpp"
#include "trellis/forces/molecules/lennard_jones_kernel.hpp"
#include "trellis/forces/sph/sph_force.hpp"
#include "trellis/forces/tree_mesh/tree_mesh_gravity.hpp"
#include "unit/devices/faulty_device.hpp"
#include "unit/forces/sph/gas.hpp"
#include "unit/ranks/comm/counting_comm.hpp"
#include "unit/run/plain_force.hpp"
#include "unit/run/simulation_on_ranks.hpp"

namespace trellis::failing_device_on_ranks_test {

constexpr int ranks = 3, faulty_rank = 1;
constexpr std::uint64_t steps = 6;

// Records the stage in which its device fails.
template <class F>
class Watched : public F {
  public:
    using F::F;
    void dispatch(ParticleSet& particles, const ForceStep& step, Phases& phases) override {
        stage = "dispatch";
        F::dispatch(particles, step, phases);
    }
    Work retrieve(ParticleSet& particles, Phases& phases) override {
        stage = "retrieve";
        return F::retrieve(particles, phases);
    }
    std::string stage;
};

template <class F>
struct Kind {
    std::shared_ptr<ParticleSet> start;
    std::function<std::shared_ptr<Watched<F>>(std::shared_ptr<Device>)> make;
};

struct Outcome {
    std::shared_ptr<ParticleSet> end;
    std::array<std::string, ranks> messages;
    std::string stage;  // stage in which the device failed
};

// Runs until the device of one rank fails, and on another to the end. A force on the host acts as well, before it.
template <class F>
Outcome run(const Kind<F>& kind, const std::function<std::shared_ptr<Device>()>& faulty) {
    Outcome outcome{copy_of(*kind.start), {}, {}};
    const auto weak_gravity = [] { return gravity(0.1, 1e-3, {.accuracy = 1e-3, .lists = Lists::reuse}); };
    simulation_on(*serial_comm(), outcome.end, [&] {  // adds the columns
        return std::vector<std::shared_ptr<Force>>{weak_gravity(), kind.make(nullptr)};
    });
    run_ranks(ranks, [&](Comm& comm) {
        const auto force = kind.make(comm.rank() == faulty_rank ? faulty() : open_device("cpu"));
        const auto sim = simulation_on(comm, all_on_first(comm, *kind.start),
                                       [&] { return std::vector<std::shared_ptr<Force>>{weak_gravity(), force}; });
        while (sim->step_count() < steps || !sim->reached(steps * 0.01)) {
            try {
                sim->step();
            } catch (const DeviceError& error) {
                outcome.messages[static_cast<std::size_t>(comm.rank())] = error.what();
                if (comm.rank() != faulty_rank) continue;
                outcome.stage = force->stage;
                force->use_devices(open_device("cpu"));
            }
        }
        put_by_id(sim->particles(), *outcome.end);
    });
    return outcome;
}

// EXPECTs runs over a failure to end like an unbroken one; returns the stages in which the device failed.
template <class F>
std::set<std::string> check_failures(const Kind<F>& kind, int most_launches) {
    const Outcome unbroken = run(kind, [] { return open_device("cpu"); });
    EXPECT_EQ(unbroken.stage, "");
    std::set<std::string> stages;
    for (const Fault fault : {Fault::lost, Fault::wrong})
        for (int good_launches = 0; good_launches <= most_launches; good_launches += 1 + good_launches / 2) {
            SCOPED_TRACE(std::to_string(good_launches) + " good launches");
            const Outcome broken = run(kind, [&] { return std::make_shared<FaultyDevice>(fault, good_launches); });
            EXPECT_EQ(broken.messages[faulty_rank], fault == Fault::lost
                                                        ? "device faulty:0 was lost"
                                                        : "device faulty:0 gave a force that is not finite");
            for (const int other : {0, 2})
                EXPECT_EQ(broken.messages[static_cast<std::size_t>(other)], "device of rank 1 has failed");
            expect_same_bits(*broken.end, *unbroken.end);
            stages.insert(broken.stage);
        }
    return stages;
}

// A force that exchanges nothing.
struct FailsOnce final : PlainForce {
    void dispatch(ParticleSet&, const ForceStep&, Phases&) override {
        if (std::exchange(fails, false)) throw DeviceError("of a test", "failed");
    }
    bool fails = false;
};

TEST(FailedStep, is_repeated_with_the_particles_where_they_are) {
    run_ranks(ranks, [](Comm& comm) {
        checks::CountingComm counting(comm);
        const auto force = std::make_shared<FailsOnce>();
        const auto sim = simulation_on(counting, all_on_first(comm, *moving_plummer(100)),
                                       [&] { return std::vector<std::shared_ptr<Force>>{force}; });
        force->fails = comm.rank() == faulty_rank;
        EXPECT_THROW(sim->step(), DeviceError);
        int begun = counting.begun();
        EXPECT_GT(begun, 0);
        sim->ensure_forces();
        EXPECT_EQ(counting.begun(), begun);
        force->fails = comm.rank() == faulty_rank;
        EXPECT_THROW(sim->step(), DeviceError);
        EXPECT_EQ(sim->time(), 0);
        begun = counting.begun();
        sim->step();
        EXPECT_EQ(counting.begun(), begun);
        EXPECT_EQ(sim->time(), 0.01);
        EXPECT_EQ(counting.under_way(), 0);
    });
}

class FailingDeviceOnRanks : public testing::TestWithParam<Lists> {};

TEST_P(FailingDeviceOnRanks, of_a_tree_force_leaves_a_step_that_all_repeat) {
    const ForceSettings settings{.accuracy = 1e-3,
                                 .method = Method::tree,
                                 .order = 1,
                                 .lists = GetParam(),
                                 .reuse_steps = 4,
                                 .opening_growth = 0.2};
    const Kind<TreeForce> kind{moving_plummer(400), [=](std::shared_ptr<Device> device) {
                                   const Gravity interaction = checked_gravity(0.05, 1);
                                   return std::make_shared<Watched<TreeForce>>(
                                       TRELLIS_VARIANT(gravity_kernels)(), std::make_shared<const Gravity>(interaction),
                                       interaction.coupling(), settings, std::move(device));
                               }};
    EXPECT_EQ(check_failures(kind, 30), (std::set<std::string>{"dispatch", "retrieve"}));
}

// A force that another function makes.
class Made : public ForwardingForce {
  public:
    explicit Made(std::unique_ptr<Force> force) : force_(std::move(force)) {}

  protected:
    Force& inner() override { return *force_; }
    const Force& inner() const override { return *force_; }

  private:
    std::unique_ptr<Force> force_;
};

// The ranks solve a mesh together: the one whose device fails, too.
TEST_P(FailingDeviceOnRanks, of_a_tree_and_a_mesh_leaves_a_step_that_all_repeat) {
    const ForceSettings settings{.accuracy = 1e-3, .lists = GetParam(), .reuse_steps = 4, .opening_growth = 0.2};
    auto start = std::make_shared<ParticleSet>(models::uniform_cube(500, 1));
    start->set_region({{0, 0, 0}, {1, 1, 1}});
    models::Random random(2);
    for (auto& v : (*start)[velocity]) v = 0.3 * random.direction();
    const Kind<Made> kind{
        start, [=](std::shared_ptr<Device> device) {
            return std::make_shared<Watched<Made>>(tree_mesh_gravity(0.01, 1, settings, {}, std::move(device)));
        }};
    EXPECT_EQ(check_failures(kind, 30), (std::set<std::string>{"retrieve"}));
}

TEST_P(FailingDeviceOnRanks, of_a_short_range_force_leaves_a_step_that_all_repeat) {
    const ShortRangeSettings settings{.lists = GetParam(), .reuse_steps = 4, .skin_ratio = 0.05};
    auto atoms = std::make_shared<ParticleSet>(lattice<3>(7));
    models::Random random(2);
    for (auto& v : (*atoms)[velocity]) v = 0.3 * random.direction();
    const Kind<ShortRangeForce> kind{atoms, [=](const std::shared_ptr<Device>& device) {
                                         auto own = settings;
                                         own.device = device;
                                         return std::make_shared<Watched<ShortRangeForce>>(
                                             TRELLIS_VARIANT(lennard_jones_kernels)(),
                                             std::make_shared<const LennardJones>(1e-3, 0.12, 0.3, Truncation::plain),
                                             0.3, own);
                                     }};
    EXPECT_EQ(check_failures(kind, 5), (std::set<std::string>{"retrieve"}));
}

TEST_P(FailingDeviceOnRanks, of_a_gas_leaves_a_step_that_all_repeat) {
    SphSettings settings;
    settings.neighbours = 30;
    settings.adaptive_softening = SelfGravity{.softening = 0.05};
    settings.search.lists = GetParam();
    settings.search.reuse_steps = 4;
    auto gas = std::make_shared<ParticleSet>(lattice<3>(7));
    models::Random random(2);
    for (auto& u : (*gas)[internal_energy]) u = 0.01;
    for (auto& v : (*gas)[velocity]) v = 0.1 * random.direction();
    const Kind<SphForce> kind{gas, [=](const std::shared_ptr<Device>& device) {
                                  auto own = settings;
                                  own.search.device = device;
                                  return std::make_shared<Watched<SphForce>>(own);
                              }};
    EXPECT_EQ(check_failures(kind, 40), (std::set<std::string>{"dispatch", "retrieve"}));
}

INSTANTIATE_TEST_SUITE_P(With, FailingDeviceOnRanks, testing::Values(Lists::rebuild, Lists::reuse),
                         [](const auto& of) { return of.param == Lists::reuse ? "reuse" : "rebuild"; });

}  // namespace trellis::failing_device_on_ranks_test
