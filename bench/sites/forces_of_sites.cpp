// Forces on several sites, whose ranks are threads of this process, with links over loopback between them: compared
// with one rank and with direct summation; and the bytes that a site sends to another in a step. Prints JSON.
//
//     bench_forces_of_sites --ring HOST:PORT,HOST:PORT --ranks 2 --particles 20000
//
// bench/goals_site_runs.py runs it.
#include <cmath>
#include <exception>
#include <mutex>
#include <thread>

#include "shared/models.hpp"
#include "shared/options.hpp"
#include "trellis/forces/gravity/gravity_force.hpp"
#include "trellis/ranks/comm/collective.hpp"
#include "trellis/ranks/comm/thread_ranks.hpp"
#include "trellis/ranks/sites/site_comm.hpp"
#include "trellis/run/simulation.hpp"
#include "trellis/transport/links/open_links.hpp"

namespace {

using trellis::Vec3;
using trellis::fields::acceleration;
using trellis::fields::id;

constexpr double timestep = 1e-6;           // so short that all steps are the same work
constexpr std::uint64_t first_steps = 16;   // in which space is divided
constexpr std::uint64_t counted_steps = 8;  // of which one shares out particles

struct Found {
    std::mutex mutex;
    std::vector<Vec3<double>> accelerations;  // by id
    double error = 0;                         // against direct summation, RMS, relative
    double bytes = 0;                         // that a site sends to one other in a step: the most of all sites
};

trellis::ForceSettings settings_of(const bench::Options& options) {
    return {.accuracy = options.numbers("accuracy").at(0), .compress = options.integer("compress") > 0};
}

// A simulation of this rank's share; all ranks call it.
std::unique_ptr<trellis::Simulation> simulation_on(trellis::Comm& comm, const trellis::ParticleSet& all,
                                                   const bench::Options& options) {
    const std::shared_ptr<trellis::Comm> borrowed(std::shared_ptr<void>(), &comm);
    auto sim = std::make_unique<trellis::Simulation>(bench::share(all, comm.rank(), comm.size()), timestep, borrowed);
    sim->add_force(trellis::gravity(options.numbers("softening").at(0), 1, settings_of(options)));
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

// The bytes of all ranks of this rank's site to one other site in a step.
double bytes_of_step(trellis::Simulation& sim, const trellis::SiteComm& comm, trellis::Comm& within) {
    const std::uint64_t before = comm.wide_traffic().all().bytes;
    sim.run_steps(counted_steps);
    const auto sent = static_cast<double>(comm.wide_traffic().all().bytes - before);
    double all = 0;
    for (const double bytes : trellis::all_gather(within, sent)) all += bytes;
    return all / counted_steps / static_cast<double>(comm.sites().size() - 1);
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
        const double bytes = bytes_of_step(*sim, *comm, within);
        {
            const std::scoped_lock lock(found.mutex);
            found.bytes = std::max(found.bytes, bytes);
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

void run(const bench::Options& options) {
    const std::size_t count = options.integer("particles");
    const auto all = bench::model("clusters", count);
    Found of_sites, of_one;
    of_sites.accelerations.resize(count);
    run_sites(options, *all, of_sites);
    double apart = 0;
    if (options.integer("checks") > 0) {
        of_one.accelerations.resize(count);
        const auto alone = trellis::lone_comm();
        const auto sim = simulation_on(*alone, *all, options);
        sim->run_steps(counted_steps);
        note(*sim, options.integer("checks"), of_one);
        apart = difference(of_sites.accelerations, of_one.accelerations);
    }
    std::printf("{\"bytes\": %.0f, \"difference\": %.3e, \"error\": %.3e, \"error_of_one\": %.3e}\n", of_sites.bytes,
                apart, of_sites.error, of_one.error);
}

}  // namespace

int main(int argc, char** argv) {
    return bench::run(argc, argv,
                      {{"ring", "", "HOST:PORT of each site"},
                       {"ranks", "1", "of each site"},
                       {"particles", "20000", "of all sites, in 32 clusters"},
                       {"accuracy", "1e-3", "RMS relative force error asked for"},
                       {"softening", "0.001", "length"},
                       {"compress", "0", "1: essential trees in fewer bytes"},
                       {"checks", "0", "particles compared with direct summation; 0: bytes are counted only"}},
                      run);
}
