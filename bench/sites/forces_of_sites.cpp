// Forces on several sites, whose ranks are threads of this process, with links over loopback between them: compared
// with one rank and with direct summation; and the bytes of a site to another in a step. Prints JSON.
//
//     bench_forces_of_sites --ring HOST:PORT,HOST:PORT --ranks 2 --particles 20000
//     bench_forces_of_sites --ring HOST:PORT,HOST:PORT --ranks 2 --cube grid --along 32 --method treepm
//
// bench/goals/site_runs.py runs it.
#include <cmath>
#include <exception>
#include <mutex>
#include <thread>

#include "shared/cube.hpp"
#include "shared/models.hpp"
#include "shared/options.hpp"
#include "trellis/forces/gravity/gravity_force.hpp"
#include "trellis/forces/tree_mesh/tree_mesh_gravity.hpp"
#include "trellis/ranks/comm/collective.hpp"
#include "trellis/ranks/comm/thread_ranks.hpp"
#include "trellis/ranks/sites/site_comm.hpp"
#include "trellis/run/simulation.hpp"
#include "trellis/transport/links/open_links.hpp"

namespace {

using trellis::Vec3;
using trellis::fields::acceleration;
using trellis::fields::id;

constexpr double timestep = 1e-6;           // so short that all steps are equal work
constexpr std::uint64_t first_steps = 16;   // steps in which space is divided
constexpr std::uint64_t counted_steps = 8;  // one of them shares out particles

// Messages of a site in a step.
struct Step {
    double bytes = 0, of_mesh = 0;  // bytes to one other site; those of a mesh's densities
    double trips = 0, visible = 0;  // the largest number of a rank
};

struct Found {
    std::mutex mutex;
    std::vector<Vec3<double>> accelerations;  // by id
    double error = 0;                         // relative RMS error against direct summation
    Step step;                                // the largest numbers of a site
};

trellis::ForceSettings settings_of(const bench::Options& options) {
    return {.accuracy = options.numbers("accuracy").at(0), .compress = options.integer("compress") > 0};
}

// A simulation of this rank's share; all ranks call it.
std::unique_ptr<trellis::Simulation> simulation_on(trellis::Comm& comm, const trellis::ParticleSet& all,
                                                   const bench::Options& options) {
    const std::shared_ptr<trellis::Comm> borrowed(std::shared_ptr<void>(), &comm);
    auto sim = std::make_unique<trellis::Simulation>(bench::share(all, comm.rank(), comm.size()), timestep, borrowed);
    const double softening = options.numbers("softening").at(0);
    if (options.texts("method").at(0) == "treepm")
        sim->add_force(trellis::tree_mesh_gravity(softening, 1, settings_of(options)));
    else
        sim->add_force(trellis::gravity(softening, 1, settings_of(options)));
    sim->run_steps(first_steps);
    return sim;
}

void note(trellis::Simulation& sim, std::size_t checks, Found& found) {
    const auto error = sim.force_error(checks, 7);
    const std::scoped_lock lock(found.mutex);
    found.error = error.rms;
    for (std::size_t row = 0; row < sim.particles().size(); ++row)
        found.accelerations[static_cast<std::size_t>(sim.particles()[id][row])] = sim.particles()[acceleration][row];
}

Step steps_of_site(trellis::Simulation& sim, const trellis::SiteComm& comm, trellis::Comm& within) {
    const trellis::WideTraffic before = comm.wide_traffic();
    sim.run_steps(counted_steps);
    const trellis::WideTraffic& after = comm.wide_traffic();
    const auto densities = trellis::TrafficClass::densities;
    const auto grown = [](std::uint64_t now, std::uint64_t then) {
        return static_cast<double>(now - then) / counted_steps;
    };
    const auto others = static_cast<double>(comm.sites().size() - 1);
    const Step own{grown(after.all().bytes, before.all().bytes) / others,
                   grown(after.of(densities).bytes, before.of(densities).bytes) / others,
                   grown(after.critical_path_hops, before.critical_path_hops), grown(after.visible, before.visible)};
    Step all;
    for (const Step& each : trellis::all_gather(within, own))
        all = {all.bytes + each.bytes, all.of_mesh + each.of_mesh, std::max(all.trips, each.trips),
               std::max(all.visible, each.visible)};
    return all;
}

void run_site(std::size_t site, const bench::Options& options, const trellis::ParticleSet& all, Found& found) {
    trellis::LinkSettings settings;
    settings.ring = options.texts("ring");
    settings.site = site;
    auto links = trellis::open_links(settings);
    trellis::run_ranks(static_cast<int>(options.integer("ranks")), [&](trellis::Comm& within) {
        const std::shared_ptr<trellis::Comm> borrowed(std::shared_ptr<void>(), &within);
        std::vector<std::shared_ptr<trellis::Link>> own;
        if (within.rank() == 0) own = std::move(links);
        const auto comm = trellis::SiteComm::join(borrowed, std::move(own), {settings.ring, site});
        const auto sim = simulation_on(*comm, all, options);
        const Step step = steps_of_site(*sim, *comm, within);
        {
            const std::scoped_lock lock(found.mutex);
            found.step = {std::max(found.step.bytes, step.bytes), std::max(found.step.of_mesh, step.of_mesh),
                          std::max(found.step.trips, step.trips), std::max(found.step.visible, step.visible)};
        }
        note(*sim, options.integer("checks"), found);
        comm->close();
    });
}

void run_sites(const bench::Options& options, const trellis::ParticleSet& all, Found& found) {
    std::exception_ptr failure;
    {
        std::vector<std::jthread> sites;
        for (std::size_t site = 0; site < options.texts("ring").size(); ++site)
            sites.emplace_back([&, site] {
                try {
                    run_site(site, options, all, found);
                } catch (...) {
                    const std::scoped_lock lock(found.mutex);
                    failure = std::current_exception();
                }
            });
    }
    if (failure) std::rethrow_exception(failure);
}

// RMS of the difference over the second, of each particle.
double difference(const std::vector<Vec3<double>>& values, const std::vector<Vec3<double>>& others) {
    double sum = 0;
    for (std::size_t k = 0; k < values.size(); ++k) {
        const Vec3<double> apart = values[k] - others[k];
        sum += dot(apart, apart) / dot(others[k], others[k]);
    }
    return std::sqrt(sum / static_cast<double>(values.size()));
}

std::shared_ptr<trellis::ParticleSet> start_of(const bench::Options& options) {
    const std::string cube = options.texts("cube").at(0);
    if (cube == "none") return bench::model("clusters", options.integer("particles"));
    auto all = std::make_shared<trellis::ParticleSet>(bench::in_cube(cube, options.integer("along")));
    bench::Random random;
    const double speed = options.numbers("moved").at(0) / timestep;
    for (auto& v : (*all)[trellis::fields::velocity]) v = speed * random.direction();
    return all;
}

void run(const bench::Options& options) {
    const auto all = start_of(options);
    const std::size_t count = all->size();
    Found of_sites, of_one;
    of_sites.accelerations.resize(count);
    run_sites(options, *all, of_sites);
    double apart = 0;
    if (options.integer("checks") > 0) {
        of_one.accelerations.resize(count);
        const auto alone = trellis::serial_comm();
        const auto sim = simulation_on(*alone, *all, options);
        sim->run_steps(counted_steps);
        note(*sim, options.integer("checks"), of_one);
        apart = difference(of_sites.accelerations, of_one.accelerations);
    }
    const auto [bytes, of_mesh, trips, visible] = of_sites.step;
    std::printf(
        "{\"bytes\": %.0f, \"bytes_of_mesh\": %.0f, \"trips\": %.2f, \"visible\": %.2f, \"difference\": %.3e, "
        "\"error\": "
        "%.3e, \"error_of_one\": %.3e}\n",
        bytes, of_mesh, trips, visible, apart, of_sites.error, of_one.error);
}

}  // namespace

int main(int argc, char** argv) {
    return bench::run(argc, argv,
                      {{"ring", "", "HOST:PORT of each site"},
                       {"ranks", "1", "ranks of each site"},
                       {"particles", "20000", "particles of all sites, in 32 clusters"},
                       {"cube", "none", "a periodic cube instead: random, clustered or grid"},
                       {"along", "32", "particles along its side"},
                       {"moved", "0", "length by which particles move in a step, in sides of the cube"},
                       {"method", "fmm", "fmm, or treepm in a periodic cube"},
                       {"accuracy", "1e-3", "requested RMS relative force error"},
                       {"softening", "0.001", "softening length"},
                       {"compress", "0", "1: compress essential trees"},
                       {"checks", "0", "particles compared with direct summation; 0: only bytes are counted"}},
                      run);
}
