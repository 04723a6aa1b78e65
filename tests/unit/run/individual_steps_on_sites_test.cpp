// Individual time steps over several sites: each site's levels are of its own particles.
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <limits>
#include <set>

#include "trellis/devices/remote/open.hpp"
#include "trellis/forces/decorators/without_limit.hpp"
#include "trellis/forces/gravity/gravity_force.hpp"
#include "trellis/forces/sph/sph_force.hpp"
#include "trellis/forces/step_limit.hpp"
#include "trellis/integrate/thermostats/csvr.hpp"
#include "unit/devices/faulty_device.hpp"
#include "unit/error_message.hpp"
#include "unit/ranks/sites/site_ranks.hpp"
#include "unit/run/simulation_on_ranks.hpp"

namespace trellis::individual_steps_on_sites_test {

constexpr double softening = 0.01, longest = 1.0 / 16;
// Every particle is an i-particle and a j-particle of its own.
const ForceSettings direct{.accuracy = 1e-12, .group_size = 4096, .leaf_size = 4096, .precision = Precision::double_};

std::unique_ptr<Simulation> without_forces(Comm& comm, std::shared_ptr<ParticleSet> own, double eta = 0.025) {
    auto sim = std::make_unique<Simulation>(std::move(own), longest, std::shared_ptr<Comm>(&comm, [](Comm*) {}));
    sim->set_individual_steps(eta);
    return sim;
}

std::unique_ptr<Simulation> individual(Comm& comm, std::shared_ptr<ParticleSet> own, double eta = 0.025,
                                       const ForceSettings& settings = {.accuracy = 1e-3}) {
    auto sim = without_forces(comm, std::move(own), eta);
    sim->add_force(gravity(softening, 1, settings));
    return sim;
}

// Gravity, with steps by the id of each particle.
std::unique_ptr<Simulation> of_given_rungs(Comm& comm, std::shared_ptr<ParticleSet> own,
                                           const std::function<int(std::uint64_t id)>& rung_of_id,
                                           const ForceSettings& settings = direct) {
    auto sim = without_forces(comm, std::move(own));
    sim->add_force(std::make_shared<WithoutLimit>(gravity(softening, 1, settings)));
    const auto steps = [=](const ParticleSet& particles, double, const ActiveRows& rows) {
        std::vector<double> allowed(rows.count(particles.size()));
        for (std::size_t k = 0; k < allowed.size(); ++k) {
            const int rung = rung_of_id(particles[id][rows[k]]);
            allowed[k] = rung == 0 ? std::numeric_limits<double>::infinity() : std::ldexp(longest, -rung);
        }
        return allowed;
    };
    sim->add_force(std::make_shared<StepLimit>(steps, "the limit"));
    return sim;
}

// A copy with the columns of the results.
std::shared_ptr<ParticleSet> ready(const ParticleSet& start) {
    auto all = copy_of(start);
    individual(*serial_comm(), all)->ensure_forces();
    return all;
}

// The particles of all sites as they are at the ends of steps, and the site of each.
struct Moment {
    std::shared_ptr<ParticleSet> particles;
    std::vector<std::size_t> sites;

    explicit Moment(const ParticleSet& start) : particles(ready(start)), sites(start.size()) {}
    void note(const Simulation& sim, const SiteComm& comm) {
        put_by_id(sim.particles(), *particles);
        for (const std::uint64_t each : sim.particles()[id]) sites[each] = comm.sites().own;
    }
};

// The scheme by direct sums, with rungs that stay the same within a longest step.
class Oracle {
  public:
    using Rows = std::vector<std::size_t>;

    Oracle(const Moment& begin, const ParticleSet& rungs)
        : particles_(copy_of(*begin.particles)), rungs_(rungs), sites_(begin.sites) {}

    std::shared_ptr<ParticleSet> after_step() {
        Rows all(sites_.size());
        for (std::size_t row = 0; row < all.size(); ++row) all[row] = row;
        std::vector<Rows> deeper;
        for (const std::size_t site : std::set(sites_.begin(), sites_.end()))
            deeper.push_back(among(all, [&](std::size_t row) { return sites_[row] == site && rungs_[rung][row] > 0; }));
        step(all, 0, deeper);
        return particles_;
    }

  private:
    template <class Chosen>
    static Rows among(const Rows& rows, const Chosen& chosen) {
        Rows some;
        for (const std::size_t row : rows)
            if (chosen(row)) some.push_back(row);
        return some;
    }

    // A step of particles by their forces on each other; deeper: sets of them whose forces on each other act more
    // often.
    void step(const Rows& rows, int level, const std::vector<Rows>& deeper) {
        const double length = std::ldexp(longest, -level);
        kick(rows, length / 2);
        for (const Rows& each : deeper) kick(each, -length / 2);
        for (const std::size_t row : rows)
            if (rungs_[rung][row] == level) (*particles_)[position][row] += length * (*particles_)[velocity][row];
        for (const Rows& each : deeper)
            for (int half = 0; half < 2 && !each.empty(); ++half)
                step(each, level + 1, {among(each, [&](std::size_t row) { return rungs_[rung][row] > level + 1; })});
        for (const Rows& each : deeper) kick(each, -length / 2);
        kick(rows, length / 2);
    }

    void kick(const Rows& rows, double time) {
        const auto x = (*particles_)[position];
        for (const std::size_t i : rows)
            for (const std::size_t j : rows) {
                const Vec3<double> apart = x[j] - x[i];
                const double distance2 = dot(apart, apart) + softening * softening;
                (*particles_)[velocity][i] +=
                    (time * (*particles_)[mass][j] / (distance2 * std::sqrt(distance2))) * apart;
            }
    }

    std::shared_ptr<ParticleSet> particles_;
    const ParticleSet& rungs_;
    std::vector<std::size_t> sites_;
};

double farthest(std::span<const Vec3<double>> a, std::span<const Vec3<double>> b) {
    double most = 0;
    for (std::size_t k = 0; k < a.size(); ++k) most = std::max(most, std::sqrt(dot(a[k] - b[k], a[k] - b[k])));
    return most;
}

TEST(IndividualStepsOnSites, are_those_of_direct_sums_with_levels_of_each_site) {
    const auto start = moving_plummer(600);
    const std::size_t steps = 9;  // particles change sites after the eighth
    for (const std::vector<int>& ranks : {std::vector{1, 1}, std::vector{2, 1}, std::vector{1, 2, 1}}) {
        std::vector<Moment> moments;
        while (moments.size() <= steps) moments.emplace_back(*start);
        checks::run_sites(ranks, [&](SiteComm& comm) {
            const auto sim = of_given_rungs(comm, all_on_first(comm, *start), [&](std::uint64_t each) {
                return each < 300 ? 0 : each < 560 ? 1 : each < 580 && comm.sites().own == 0 ? 5 : 3;
            });
            sim->ensure_forces();
            moments[0].note(*sim, comm);
            while (sim->step_count() < steps) {
                sim->step();
                moments[sim->step_count()].note(*sim, comm);
            }
        });
        for (std::size_t step = 0; step < steps; ++step) {
            SCOPED_TRACE(step);
            const ParticleSet& end = *moments[step + 1].particles;
            const auto expected = Oracle(moments[step], end).after_step();
            EXPECT_LT(farthest(end[position], (*expected)[position]), 1e-13);
            EXPECT_LT(farthest(end[velocity], (*expected)[velocity]), 1e-12);
            EXPECT_GE(std::ranges::max(end[rung]), 5);
        }
    }
}

TEST(IndividualStepsOnSites, of_one_site_have_the_bits_of_its_ranks_alone) {
    const auto start = moving_plummer(600);
    const auto one = ready(*start), none = ready(*start);
    const auto run = [&](Comm& comm, ParticleSet& end) {
        const auto sim = individual(comm, all_on_first(comm, *start));
        sim->run_steps(4);
        put_by_id(sim->particles(), end);
    };
    checks::run_sites({2}, [&](SiteComm& comm) { run(comm, *one); });
    run_ranks(2, [&](Comm& comm) { run(comm, *none); });
    expect_same_bits(*one, *none);
}

struct Sent {
    std::uint64_t messages, bytes, hops;
    std::size_t deepest;
};

// The messages between sites in five longest steps, after the first ones, in which particles change ranks.
Sent sent_with(double eta) {
    const auto start = moving_plummer(1000);
    std::atomic<std::uint64_t> messages = 0, bytes = 0, hops = 0;
    std::atomic<std::size_t> deepest = 0;
    checks::run_sites({2, 1}, [&](SiteComm& comm) {
        const auto sim = individual(comm, all_on_first(comm, *start), eta);
        sim->run_steps(17);
        const WideTraffic before = comm.wide_traffic();
        sim->run_steps(5);
        const WideTraffic& now = comm.wide_traffic();
        messages += now.all().messages - before.all().messages;
        bytes += now.all().bytes - before.all().bytes;
        if (comm.rank() == 0) hops = now.critical_path_hops - before.critical_path_hops;
        for (std::size_t k = 0; comm.rank() == 0 && k <= deepest_rung; ++k)
            if (sim->rung_use()->particles[k] > 0) deepest = k;
    });
    return {messages, bytes, hops, deepest};
}

TEST(IndividualStepsOnSites, send_no_more_for_more_rungs) {
    const Sent one = sent_with(1e6), many = sent_with(0.005);
    EXPECT_EQ(one.deepest, 0U);
    EXPECT_GE(many.deepest, 3U);
    EXPECT_EQ(many.messages, one.messages);
    EXPECT_NEAR(static_cast<double>(many.bytes), static_cast<double>(one.bytes), 0.02 * static_cast<double>(one.bytes));
    EXPECT_EQ(many.hops, one.hops);
    EXPECT_EQ(many.hops, 5U * 2U);
}

TEST(IndividualStepsOnSites, go_on_from_a_checkpoint_bit_for_bit) {
    const auto start = moving_plummer(600);
    checks::run_sites({1, 2}, [&](SiteComm& comm) {
        const auto whole = individual(comm, all_on_first(comm, *start));
        whole->run_steps(6);
        const auto kept = copy_of(whole->particles());
        const DomainState domains = whole->domain_state();
        const double time = whole->time();
        whole->run_steps(6);
        const auto resumed = individual(comm, kept);
        resumed->resume(time, 6, domains);
        resumed->run_steps(6);
        expect_same_bits(resumed->particles(), whole->particles());
    });
}

struct OnDevices {
    std::shared_ptr<ParticleSet> end;
    std::atomic<std::ptrdiff_t> first_launches = 0;  // by the device of the last rank, before the first step
};

// With a device that fails on the last rank after some launches, and is replaced.
void run_on_devices(const ParticleSet& start, Fault fault, int good_launches, OnDevices& run) {
    run.end = ready(start);
    checks::run_sites({1, 2}, [&](SiteComm& comm) {
        const bool last = comm.rank() == 2;
        const auto device = std::make_shared<FaultyDevice>(fault, good_launches);
        const auto sim = without_forces(comm, all_on_first(comm, start), 0.005);
        sim->add_force(gravity(softening, 1, {.theta = 0.5, .method = Method::tree, .order = 1},
                               last ? Devices(device) : Devices(open_device("cpu"))));
        sim->set_thermostat(std::make_shared<Csvr>(0.1, 1, 3));
        sim->set_spares({"cpu"});
        sim->ensure_forces();
        if (last) run.first_launches = std::ranges::count(device->log(), 'l');
        sim->run_steps(2);
        EXPECT_EQ(sim->take_device_notes().size(), last && fault == Fault::lost ? 1U : 0U);
        put_by_id(sim->particles(), *run.end);
    });
}

// A step that is repeated on one site sends nothing to the other, which does not know.
TEST(IndividualStepsOnSites, go_on_with_a_spare_on_one_site_to_the_bit) {
    const auto start = moving_plummer(3000);
    OnDevices unbroken;
    run_on_devices(*start, Fault::none, 0, unbroken);
    for (const int launches_of_levels : {0, 1, 3, 6, 10}) {
        OnDevices broken;
        run_on_devices(*start, Fault::lost, static_cast<int>(unbroken.first_launches) + launches_of_levels, broken);
        expect_same_bits(*broken.end, *unbroken.end);
    }
}

TEST(IndividualStepsOnSites, finish_a_step_that_is_to_be_abandoned) {
    const auto start = moving_plummer(300);
    checks::run_sites({1, 1}, [&](SiteComm& comm) {
        const auto sim = individual(comm, all_on_first(comm, *start));
        sim->abandon_steps_when([] { return true; });
        sim->step();
        EXPECT_EQ(sim->step_count(), 1U);
    });
}

// A star of the other site acts on fast bodies once in each longest step. No other body near them has shorter steps
// because of it: neither those on rung 0, nor those of a level between.
TEST(IndividualStepsOnSites, let_no_slow_particles_join_because_of_another_site) {
    constexpr std::size_t between = 100, fast = 130, star = 150;
    ParticleSet start(2 * star);
    for (std::size_t k = 0; k < start.size(); ++k) {
        const double number = static_cast<double>(k);
        start[mass][k] = k == star ? 16 : 1e-9;
        start[position][k] = k < between ? Vec3<double>{-4, 0.01 * number, 0}
                             : k < fast  ? Vec3<double>{-14, 0.01 * number, 0}
                             : k < star  ? Vec3<double>{-2e-4 * number, 2e-4 * number, 0}
                             : k == star ? Vec3<double>{0.05, 0.05, 0}
                                         : Vec3<double>{40, number, 0};
    }
    Moment begin(start), end(start);
    checks::run_sites({1, 1}, [&](SiteComm& comm) {
        const auto sim = individual(comm, all_on_first(comm, start));
        sim->ensure_forces();
        begin.note(*sim, comm);
        sim->step();
        end.note(*sim, comm);
    });
    const auto rungs = std::as_const(*end.particles)[rung];
    for (std::size_t k = 0; k < start.size(); ++k) {
        EXPECT_EQ(begin.sites[k], k < star ? 0U : 1U) << k;
        if (k >= fast && k < star) {
            EXPECT_GE(rungs[k], 4) << k;
        } else {
            EXPECT_EQ(rungs[k], k < between ? 2 : 0) << k;
        }
    }
}

// A star and light bodies that orbit it on one of the sites.
TEST(IndividualStepsOnSites, follow_light_bodies_around_a_heavy_one) {
    ParticleSet start(80);
    for (std::size_t k = 0; k < 80; ++k) {
        const double angle = 0.3 * static_cast<double>(k);
        const Vec3<double> way{std::cos(angle), std::sin(angle), 0}, beside{-std::sin(angle), std::cos(angle), 0};
        const bool orbits = k > 0 && k < 40;
        start[mass][k] = k == 0 ? 1 : 0;
        start[position][k] = k == 0 ? Vec3<double>{0, 0, 0} : orbits ? 0.1 * way : Vec3<double>{40, 0, 0} + 20 * way;
        start[velocity][k] = orbits ? std::sqrt(10.0) * beside : Vec3<double>{0, 0, 0};
    }
    Moment end(start);
    checks::run_sites({1, 1}, [&](SiteComm& comm) {
        const auto sim = individual(comm, all_on_first(comm, start), 0.01, direct);
        sim->run_steps(16);
        end.note(*sim, comm);
    });
    for (std::size_t k = 0; k < 40; ++k) {
        EXPECT_EQ(end.sites[k], end.sites[0]) << k;
        const Vec3<double>& x = (*end.particles)[position][k];
        EXPECT_NEAR(std::sqrt(dot(x, x)), k == 0 ? 0 : 0.1, 0.004) << k;
    }
}

// Both sites begin the forces of all with the same precision, whatever the levels of one of them need.
TEST(IndividualStepsOnSites, leave_the_precision_of_all_as_it_is) {
    const auto start = moving_plummer(600);
    for (std::size_t k = 0; k < 600; ++k) {
        Vec3<double>& x = (*start)[position][k];
        x.x = k < 400 ? -std::abs(x.x) : 1e25 * (1 + std::abs(x.x));
        (*start)[velocity][k] = {0, 0, 0};
    }
    checks::run_sites({2, 1}, [&](SiteComm& comm) {
        const auto sim = of_given_rungs(comm, all_on_first(comm, *start),
                                        [](std::uint64_t each) { return each < 100 ? 3 : 0; }, {.accuracy = 1e-3});
        sim->run_steps(2);
        for (const std::uint64_t each : std::as_const(sim->particles())[id])
            EXPECT_TRUE(each >= 100 || comm.sites().own == 0) << each;
    });
}

TEST(IndividualStepsOnSites, are_refused_where_they_cannot_be) {
    const auto start = moving_plummer(100);
    checks::run_sites({1, 1}, [&](SiteComm& comm) {
        Simulation sim(all_on_first(comm, *start), longest, {&comm, [](Comm*) {}});
        EXPECT_EQ(message_of([&] { sim.set_individual_steps(0.025, 4); }),
                  "order is 4, but several sites share the run: allowed is order 2");
        sim.set_individual_steps(0.025);
        EXPECT_EQ(message_of([&] { sim.add_force(std::make_shared<SphForce>(SphSettings{})); }),
                  "individual time steps are given, but 'acceleration' depends on all particles where some end their "
                  "steps: allowed is one site, not several");
        sim.add_force(gravity(0));
        EXPECT_NE(message_of([&] { sim.step(); }).find("no force limits the step of a particle"), std::string::npos);
    });
}

// Forces may limit the steps of particles of one site alone.
TEST(IndividualStepsOnSites, may_be_limited_on_one_site_alone) {
    const auto start = moving_plummer(300);
    checks::run_sites({1, 1}, [&](SiteComm& comm) {
        const auto sim = of_given_rungs(comm, all_on_first(comm, *start),
                                        [&](std::uint64_t) { return comm.sites().own == 0 ? 0 : 2; });
        sim->run_steps(2);
        EXPECT_EQ(std::ranges::max(sim->particles()[rung]), comm.sites().own == 0 ? 0 : 2);
    });
}

}  // namespace trellis::individual_steps_on_sites_test
